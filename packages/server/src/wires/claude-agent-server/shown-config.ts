// What a client posted, without anything that is or may be a secret: only this is kept, and it is what is shown again.
import { createRedactor, namesSecret } from '@quarterdeck/engine'
import type { JsonObject } from '@quarterdeck/protocol'

const hidden = '[redacted]'

export function shownConfig(posted: JsonObject): JsonObject {
  const secrets: string[] = []
  const shown = hideFields(posted, secrets)
  // The same key may stand a second time where nothing says that it is one.
  return createRedactor(secrets).value(shown)
}

function hideFields(fields: JsonObject, secrets: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (namesSecret(name)) return [name, hide(value, secrets)]
      if (name === 'mcpServers') return [name, hideServers(value, secrets)]
      if (name === 'env' || name === 'headers') return [name, hideEach(value, secrets)]
      return [name, look(value, secrets)]
    }),
  )
}

function look(value: unknown, secrets: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => look(one, secrets))
  return isObject(value) ? hideFields(value, secrets) : value
}

function hide(value: unknown, secrets: string[]): unknown {
  if (value === null || value === '') return value
  collect(value, secrets)
  return hidden
}

function hideEach(value: unknown, secrets: string[]): unknown {
  if (!isObject(value)) return hide(value, secrets)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hide(inner, secrets)]))
}

/** Servers have secrets anywhere: what kind they are and where they stand is shown, everything else is not. */
function hideServers(value: unknown, secrets: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? hideServers(one, secrets) : one))
  if (!isObject(value)) return hide(value, secrets)
  return Object.fromEntries(
    Object.entries(value).map(([name, server]) => [name, isObject(server) ? hideServer(server, secrets) : hidden]),
  )
}

function hideServer(server: JsonObject, secrets: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(server).map(([name, value]) => {
      if (name === 'type' || name === 'command') return [name, look(value, secrets)]
      if (name === 'url' && typeof value === 'string') return [name, placeOf(value)]
      return [name, name === 'env' || name === 'headers' ? hideEach(value, secrets) : hide(value, secrets)]
    }),
  )
}

/** Without the name, the password and the query, which may hold a key. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) return hidden
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}

function collect(value: unknown, secrets: string[]): void {
  if (typeof value === 'string') secrets.push(value)
  else if (Array.isArray(value)) for (const one of value) collect(one, secrets)
  else if (isObject(value)) for (const one of Object.values(value)) collect(one, secrets)
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
