// Tables made up by a rule, so that every answer about them can be worked out a second time without a database.

export interface Order {
  readonly id: number
  readonly customer_id: number | null
  readonly placed_at: string
  readonly region: string
  readonly qty: number
  readonly amount: number | null
  readonly note: string | null
}

export interface Customer {
  readonly id: number
  readonly name: string
  readonly country: string | null
  readonly since: string
  readonly email: string
}

export interface Price {
  readonly größe: string
  readonly preis: number
  readonly 'a"b': number
}

/** The same numbers each time, between 0 and 1. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const pad = (value: number): string => String(value).padStart(2, '0')
const dayMs = 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const regions = ['North', 'East', 'South', 'West']
/** As people type them: letters of both sizes, blanks around, and what breaks a careless reader of CSV. */
const notes = ['late', ' Late', 'LATE ', 'gift, wrapped', 'said "soon"', 'two\nlines', 'call 0171-55', null, null, null]

export function generatedOrders(): readonly Order[] {
  const roll = dice(7)
  const start = Date.UTC(2025, 0, 1)
  return Array.from({ length: 3000 }, (_, index) => {
    const at = new Date(start + Math.floor(roll() * 365) * dayMs + Math.floor(roll() * 86_400) * 1000)
    const clock = `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`
    return {
      id: index + 1,
      customer_id: roll() < 0.04 ? null : 1 + Math.floor(roll() * 240),
      placed_at: `${dayOf(at.getTime())} ${clock}`,
      region: regions[Math.floor(roll() ** 2 * regions.length)] ?? 'North',
      qty: 1 + Math.floor(roll() * 9),
      // A few are given back, and a few nobody has priced.
      amount: roll() < 0.05 ? null : Math.round((roll() * 400 - 20) * 100) / 100,
      note: notes[Math.floor(roll() * notes.length)] ?? null,
    }
  })
}

const countries = ['Norway', 'Österreich', '日本', 'Perú', null]
const hosts = ['example.org', 'Example.ORG', 'post.example', 'mail.example']

/** Some of them never ordered: orders know the first 240. */
export function generatedCustomers(): readonly Customer[] {
  const roll = dice(11)
  return Array.from({ length: 260 }, (_, index) => ({
    id: index + 1,
    name: `Customer ${index + 1}`,
    country: countries[Math.floor(roll() * countries.length)] ?? null,
    since: dayOf(Date.UTC(2015, 0, 1) + Math.floor(roll() * 3600) * dayMs),
    email: `c${index + 1}@${hosts[Math.floor(roll() * hosts.length)] ?? 'example.org'}`,
  }))
}

export function generatedPrices(): readonly Price[] {
  const roll = dice(13)
  return ['XS', 'S', 'M', 'L', 'XL', 'Übergröße'].map((größe) => ({
    größe,
    preis: Math.round(roll() * 9000) / 100,
    'a"b': Math.floor(roll() * 100),
  }))
}

/** As a file of them: quoted where it must be, nothing where there is nothing. */
export function writeTable(rows: readonly object[], delimiter: string): string {
  const [first = {}] = rows
  const field = (value: unknown): string => {
    const text = value === null ? '' : String(value)
    return /["\n\r]/.test(text) || text.includes(delimiter) || text !== text.trim()
      ? `"${text.replaceAll('"', '""')}"`
      : text
  }
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))]
  return `${lines.map((line) => line.map(field).join(delimiter)).join('\n')}\n`
}
