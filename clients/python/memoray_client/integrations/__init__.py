"""The client inside other frameworks. Each module needs the framework it is named after; nothing else imports it."""
