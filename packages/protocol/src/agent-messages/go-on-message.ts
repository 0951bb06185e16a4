// What the engine tells an agent whose work was cut off, when it may go on.

export const goOnMessage = {
  stopped: 'You were stopped in the middle of your work. Look at what is done, then go on with the task.',
  crashed: 'The server stopped while you were working. Look at what is done, then go on with the task.',
} as const

export const isGoOnMessage = (text: string): boolean => Object.values<string>(goOnMessage).includes(text)
