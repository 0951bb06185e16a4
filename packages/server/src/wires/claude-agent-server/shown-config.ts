// The posted configuration without anything that may be a secret: only this is stored and returned.
import { createRedactor, namesSecret } from '@quarterdeck/engine'
import { isRecord, type JsonObject } from '@quarterdeck/protocol'

const hidden = '[redacted]'

export function shownConfig(posted: JsonObject): JsonObject {
  const secrets: string[] = []
  const shown = hideFields(posted, secrets)
  // The same key may occur a second time in an unmarked place.
  return createRedactor(secrets).value(shown)
}

const mapFields = (fields: JsonObject, map: (value: unknown, name: string) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]))

/** Arguments of a program often contain a key. */
const ofPrograms: ReadonlySet<string> = new Set(['command', 'args', 'extraArgs', 'executableArgs'])

const hideFields = (fields: JsonObject, secrets: string[]): JsonObject =>
  mapFields(fields, (value, name) => {
    if (namesSecret(name) || ofPrograms.has(name)) return hide(value, secrets)
    if (name === 'mcpServers') return hideServers(value, secrets)
    if (name === 'env' || name === 'headers') return hideEach(value, secrets)
    return redact(value, secrets)
  })

function redact(value: unknown, secrets: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => redact(one, secrets))
  if (typeof value === 'string' && URL.canParse(value)) return withoutQuery(value, secrets)
  return isRecord(value) ? hideFields(value, secrets) : value
}

/** Removes a password or a query from an address: it may be a key. */
function withoutQuery(address: string, secrets: string[]): string {
  const { username, password, search, hash, protocol, host, pathname } = new URL(address)
  if (`${username}${password}${search}${hash}` === '') return address
  collect([decoded(password), search.slice(1), hash.slice(1)], secrets)
  return host === '' ? hidden : `${protocol}//${host}${pathname}`
}

function hide(value: unknown, secrets: string[]): unknown {
  if (value === null || value === '') return value
  collect(value, secrets)
  return hidden
}

function hideEach(value: unknown, secrets: string[]): unknown {
  if (!isRecord(value)) return hide(value, secrets)
  return mapFields(value, (inner) => hide(inner, secrets))
}

function hideServers(value: unknown, secrets: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => hideServers(one, secrets))
  if (!isRecord(value)) return hide(value, secrets)
  return mapFields(value, (server) => (isRecord(server) ? hideServer(server, secrets) : hide(server, secrets)))
}

const serverTypes: ReadonlySet<unknown> = new Set(['stdio', 'http', 'sse', 'ws', 'sdk'])

/** A server may have secrets anywhere: only its kind and its host are shown, and the names of its other fields. */
const hideServer = (server: JsonObject, secrets: string[]): JsonObject =>
  mapFields(server, (value, name) => {
    const isShown = name === 'type' && serverTypes.has(value)
    if (isShown) return value
    const blank = hide(value, secrets)
    return name === 'url' ? originOf(value) : blank
  })

function originOf(address: unknown): string {
  if (typeof address !== 'string' || !URL.canParse(address)) return hidden
  const { origin } = new URL(address)
  return origin === 'null' ? hidden : origin
}

function collect(value: unknown, secrets: string[]): void {
  if (typeof value === 'string') secrets.push(value, ...wordsLikeKeys(value))
  else if (Array.isArray(value)) for (const one of value) collect(one, secrets)
  else if (isRecord(value)) for (const one of Object.values(value)) collect(one, secrets)
}

/** For commands and addresses. A word without a digit is more likely plain text than a key. */
const wordsLikeKeys = (text: string): readonly string[] =>
  text.split(/[\s=&?/#:@,;"']+/).filter((word) => word !== text && /\d/.test(word))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // an unencoded percent sign is used as it is
  }
}
