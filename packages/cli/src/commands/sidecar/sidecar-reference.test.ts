// Keeps the handwritten parts of docs/reference/sidecar.md correct.
import { readFile } from 'node:fs/promises'
import { type Operation, rpcErrorCodes, rpcMethods, rpcRequests, SubscribeParams } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { agentText, bash, say } from '../../connect/scripted-agent.fixture.ts'
import { type Message, openTestHost } from './sidecar-host.fixture.ts'

const page = await readFile(new URL('../../../../../docs/reference/sidecar.md', import.meta.url), 'utf8')

/** The text between a heading and the next one. */
const sectionOf = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
const rowsOf = (title: string): string[] => sectionOf(title).match(/^\| `.*$/gm) ?? []
const nameOf = (row: string): string => /^\| `([^`]+)`/.exec(row)?.[1] ?? ''

function fieldsOf(schema: Operation['body']): string[] {
  if (schema === undefined) return []
  const written = schema.toJSONSchema({ io: 'input', unrepresentable: 'any' })
  // A schema with its own name is documented separately and linked.
  const own = written.$defs?.[written.$ref?.split('/').at(-1) ?? ''] ?? written
  const { properties = {}, required = [] } = own
  return Object.keys(properties).map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``)
}

describe('docs/reference/sidecar.md', () => {
  it('lists every method of the operations, and the two of the connection', () => {
    const names = rowsOf('Methods').map(nameOf)
    expect(names).toEqual([...Object.keys(rpcMethods), 'session.subscribe', 'session.unsubscribe'])
    const subscribe = rowsOf('Methods').find((row) => row.startsWith('| `session.subscribe`'))
    expect(subscribe).toContain(`| ${fieldsOf(SubscribeParams).join(', ')} |`)
  })

  it('lists exactly the requests to the host and the error codes', () => {
    expect(rowsOf('Requests to the host').map(nameOf)).toEqual(Object.keys(rpcRequests))
    for (const [method, { result }] of Object.entries(rpcRequests)) {
      const row = rowsOf('Requests to the host').find((one) => nameOf(one) === method)
      for (const field of fieldsOf(result)) expect(row).toContain(field)
    }
    expect(rowsOf('Errors').map(nameOf)).toEqual(Object.values(rpcErrorCodes).map(String))
  })

  it('shows an exchange that the sidecar reproduces', async () => {
    const stock = { type: 'tool', name: 'mcp__client__stock', input: { article: 'pears' }, result: '' } as const
    const host = await openTestHost({
      agent: agentText.replace('tester', 'clerk'),
      script: [[bash('ls'), stock, say('There are 7.')]],
    })
    const lines = sectionOf('A whole exchange').match(/^[→←] .*$/gm) ?? []
    expect(lines.length).toBeGreaterThan(15)
    const known: Record<string, string> = {}
    const seen = new Set<Message>()
    for (const line of lines) {
      const shown = JSON.parse(line.slice(2))
      if (line.startsWith('→')) host.write(filled(shown, known))
      else {
        const fits = (message: Message) => !seen.has(message) && isLike(shown, message, known)
        seen.add(await host.find(fits))
      }
    }
    expect(await host.end()).toBe(0)
    for (const { method } of seen) if (method !== undefined) expect(page).toContain(`\`${method}\``)
  })
})

/** The value of each `…` when it was first seen. */
type Known = Record<string, string>

/** With every `ses_…` replaced by the id that was seen. */
const filled = (shown: object, known: Known): object =>
  JSON.parse(JSON.stringify(shown), (_, value) => (typeof value === 'string' ? (known[value] ?? value) : value))

/** Values that differ in each run. */
const counters = new Set(['pid', 'seq', 'appliedSeq'])

/** Whether a message contains at least the shown fields; remembers the values of one that does. */
function isLike(shown: unknown, real: unknown, known: Known): boolean {
  const learned: Known = {}
  const compare = (left: unknown, right: unknown): boolean => {
    if (typeof left === 'string' && left.endsWith('…')) {
      if (typeof right !== 'string' || !right.startsWith(left.slice(0, -1))) return false
      const before = left === '…' ? right : (known[left] ?? learned[left] ?? right)
      learned[left] = right
      return before === right
    }
    if (typeof left !== 'object' || left === null) return left === right
    if (typeof right !== 'object' || right === null) return false
    const there = right as Record<string, unknown> // any object can be read by key
    return Object.entries(left).every(([name, value]) =>
      counters.has(name) ? typeof there[name] === 'number' : compare(value, there[name]),
    )
  }
  if (!compare(shown, real)) return false
  Object.assign(known, learned)
  return true
}
