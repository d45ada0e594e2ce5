"""OpenAI's protocol: models, chat completions, embeddings and transcriptions, for every client whose base URL can be set."""
