/**
 * Ctrl-C in a terminal goes to everything in its foreground. What agents run is not meant: the server ends it, in order,
 * and what people are asked stays open. On Windows it would be a console window of its own.
 */
export const ownGroup = { detached: process.platform !== 'win32' } as const
