-- PostgreSQL keeps features as they are: its connections have no functions of the program that could shorten them.

UPDATE schema_version SET number = 57;
