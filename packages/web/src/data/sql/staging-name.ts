// Tables on their way in have names of nobody until they are whole: no model has them, and no list.
export const newStagingName = (): string => `arriving ${crypto.randomUUID()}`

export const isStagingName = (name: string): boolean => /^arriving [0-9a-f-]{36}$/i.test(name)
