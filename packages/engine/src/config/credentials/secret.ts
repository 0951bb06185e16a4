import { inspect } from 'node:util'

/** A value readable only through `reveal()`: printing, logging or serialising it shows a placeholder. */
export interface Secret<T> {
  reveal(): T
  toString(): string
  toJSON(): string
}

const placeholder = '[secret]'

export function createSecret<T>(value: T): Secret<T> {
  const secret: Secret<T> = { reveal: () => value, toString: () => placeholder, toJSON: () => placeholder }
  return Object.defineProperty(secret, inspect.custom, { value: () => placeholder, enumerable: false })
}
