def lookup(): pass
