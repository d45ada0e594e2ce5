"""Pure rules about language, shared by extraction and questions."""
