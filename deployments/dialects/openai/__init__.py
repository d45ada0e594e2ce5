"""OpenAI's protocol, for every client that lets its base URL be set."""
