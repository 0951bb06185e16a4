// Fake secrets, new in every run, and a search for them in everything that was written.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Canary {
  readonly plantedIn: string
  /** The planted text. */
  readonly text: string
  /** The part that must not be found. */
  readonly secret: string
}

const letters = (count: number): string => randomBytes(count).toString('hex').slice(0, count)

/** A value that is recognized as a secret only by its declaration. */
export function plainCanary(plantedIn: string): Canary {
  const secret = `canary-${letters(24)}`
  return { plantedIn, text: secret, secret }
}

/** Formats of keys, assembled here, so that no file contains one. */
const shapes: readonly (() => Omit<Canary, 'plantedIn'>)[] = [
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

/** A value that is recognized as a secret by its format. Each call uses the next format. */
export function shapedCanary(plantedIn: string): Canary {
  const shape = shapes[turn % shapes.length]
  turn += 1
  if (shape === undefined) throw new Error('there are no shapes')
  return { plantedIn, ...shape() }
}

/** One of each format. */
export const everyShape = (plantedIn: string): readonly Canary[] => shapes.map((shape) => ({ plantedIn, ...shape() }))

export interface Written {
  /** The name of a file or of another output. */
  readonly name: string
  readonly bytes: Buffer
}

/** All files below a folder with their bytes. */
export async function filesBelow(folder: string): Promise<readonly Written[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (name) => ({ name, bytes: await readFile(name) })))
}

/** One line for each match: "the environment: found in db/quarterdeck.db". */
export const findings = (canaries: readonly Canary[], written: readonly Written[]): readonly string[] =>
  written.flatMap(({ name, bytes }) =>
    canaries.flatMap(({ plantedIn, secret }) => (bytes.includes(secret) ? [`${plantedIn}: found in ${name}`] : [])),
  )
