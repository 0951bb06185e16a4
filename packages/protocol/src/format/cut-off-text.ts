/** For a text that never became a message: why, such as `the server stopped`. */
export const cutOffText = (reason: string): string => `This text was cut off: ${reason}`
