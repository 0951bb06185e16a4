import { existsSync } from 'node:fs'

const plainWords = /^[a-z]+(?:[ ,._-]{1,2}(?:[a-z]+|\d{1,2}))*$/i
const segment = /^(?:[a-z]+(?:[_-][a-z]+)*|v\d{1,2})?$/i

/**
 * Whether a value of the environment hides nothing and would be missed: words (`production`, `eu-west-1`), numbers, a
 * path that is there, an address without anything that could open it.
 */
export const isPlainValue = (value: string): boolean =>
  plainWords.test(value) || /^-?\d{1,12}(?:\.\d+)?$/.test(value) || isExistingPath(value) || isAddress(value)

const isExistingPath = (value: string): boolean => /^[/~.]/.test(value) && existsSync(value)

function isAddress(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false
  const { username, password, pathname, search, hash } = new URL(value)
  return username + password + search + hash === '' && pathname.split('/').every((part) => segment.test(part))
}
