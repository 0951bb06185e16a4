/** The message of anything thrown: code may throw values that are no errors. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
