// Made-up secrets, new in every run, and the search for them in everything that was written.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Canary {
  /** Where it was planted. */
  readonly place: string
  /** What is planted. */
  readonly text: string
  /** The part that must be found nowhere. */
  readonly secret: string
}

const letters = (count: number): string => randomBytes(count).toString('hex').slice(0, count)

/** A value only its declaration can tell for a secret. */
export function plainCanary(place: string): Canary {
  const secret = `canary-${letters(24)}`
  return { place, text: secret, secret }
}

/** Shapes of keys; put together here, so that no file holds one. */
const shapes: readonly (() => Omit<Canary, 'place'>)[] = [
  () => whole(['sk', 'ant', 'api03', letters(40)].join('-')),
  () => whole(`${'AK'}${'IA'}${letters(16).toUpperCase()}`),
  () => whole(`${'gh'}${'p_'}${letters(36)}`),
  () => whole(`${'xo'}${'xb-'}${letters(12)}-${letters(24)}`),
  () => framed(letters(24), (secret) => `postgres://someone:${secret}@db.example/main`),
  () => framed(letters(40), (secret) => `Authorization: Bearer ${secret}`),
  () => framed(letters(64), (secret) => [`-----BEGIN ${'PRIVATE'} KEY-----`, secret, '-----END '].join('\n')),
]

const whole = (secret: string) => ({ text: secret, secret })
const framed = (secret: string, frame: (secret: string) => string) => ({ text: frame(secret), secret })

let turn = 0

/** A value that can be told by its looks; each call takes the next shape. */
export function shapedCanary(place: string): Canary {
  const shape = shapes[turn % shapes.length]
  turn += 1
  if (shape === undefined) throw new Error('there are no shapes')
  return { place, ...shape() }
}

/** One of each shape. */
export const everyShape = (place: string): readonly Canary[] => shapes.map((shape) => ({ place, ...shape() }))

export interface Written {
  /** A file, or what else was looked at. */
  readonly name: string
  readonly bytes: Buffer
}

/** Every file below a folder with its bytes. */
export async function filesBelow(folder: string): Promise<readonly Written[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (name) => ({ name, bytes: await readFile(name) })))
}

/** "canary of the environment in db/quarterdeck.db": one line for each find. */
export const findings = (canaries: readonly Canary[], written: readonly Written[]): readonly string[] =>
  written.flatMap(({ name, bytes }) =>
    canaries.flatMap(({ place, secret }) => (bytes.includes(secret) ? [`${place}: found in ${name}`] : [])),
  )
