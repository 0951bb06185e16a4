// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ProblemDraft, reporting } from '../problems/problem-list.ts'
import { formatPath } from '../problems/value-path.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import { parseShape } from './parse-shape.ts'

const Shape = z.strictObject({
  name: z.string().regex(/^[a-z]+$/),
  size: z.int().min(1).max(9).nullish(),
  part: z.strictObject({ kind: z.enum(['round', 'square']), on: z.boolean().nullish() }),
  list: z
    .array(z.strictObject({ id: z.string(), n: z.number().nullish() }))
    .max(3)
    .nullish(),
  named: z.record(z.string(), z.strictObject({ id: z.string() })).nullish(),
})

const standIns = { name: 'unnamed', part: { kind: 'round' }, 'part.kind': 'round' }

function parse(value: unknown, substituted: Readonly<Record<string, string>> = {}) {
  const drafts: ProblemDraft[] = []
  const source: ConfigSource = {
    file: '/p/a.yaml',
    projectFolder: '/p',
    value,
    reads: [],
    problems: [],
    substitutions: new Map(Object.entries(substituted).map(([at, written]) => [at, substitution(written)])),
    ...reporting((draft) => void drafts.push(draft)),
    locationOf: () => ({ file: '/p/a.yaml', line: 1, column: 1 }),
    originFileOf: () => ({ file: '/p/a.yaml', projectFolder: '/p' }),
  }
  const result = parseShape({ schema: Shape, source, value, standIns, otherKeys: { '': ['shape', 'later'] } })
  return { result, messages: drafts.map(({ message }) => message), drafts }
}

const substitution = (written: string) => ({
  path: [],
  written,
  variables: [],
  missing: [],
  malformed: [],
  complete: true,
})

describe('parseShape', () => {
  it('returns a valid value unchanged', () => {
    const value = { name: 'a', part: { kind: 'square', on: null }, list: [{ id: 'x' }] }
    expect(parse(value)).toEqual({ result: value, messages: [], drafts: [] })
  })

  it('removes invalid values and returns the rest', () => {
    const { result, messages } = parse({ name: 'a', size: 12, part: { kind: 'square', on: 'maybe' } })
    expect(result).toEqual({ name: 'a', part: { kind: 'square' } })
    expect(messages).toEqual(['"size" must be at most 9; found 12', '"part.on" must be true or false; found "maybe"'])
  })

  it('uses a stand-in when a required value is wrong or missing', () => {
    const { result, messages } = parse({ name: 'A1', part: { kind: 'oval', on: true } })
    expect(result).toEqual({ name: 'unnamed', part: { kind: 'round', on: true } })
    expect(messages).toHaveLength(2)
    expect(parse({}).result).toEqual({ name: 'unnamed', part: { kind: 'round' } })
    expect(parse({}).messages).toEqual(['"name" is missing', '"part" is missing'])
  })

  it('reports a missing key inside a map once and drops only that map', () => {
    const { result, messages } = parse({ name: 'a', part: { kind: 'round' }, named: { x: {}, y: { id: 'ok' } } })
    expect(messages).toEqual(['"named.x.id" is missing'])
    expect(result).toEqual({ name: 'a', part: { kind: 'round' }, named: { y: { id: 'ok' } } })
  })

  it('reports every invalid entry of a list, then drops the list', () => {
    const list = [{ id: 1 }, { id: 'ok' }, { idd: 'x', id: 'y' }]
    const { result, drafts } = parse({ name: 'a', part: { kind: 'round' }, list })
    expect(drafts.map(({ path }) => formatPath(path))).toEqual(['list[0].id', 'list[2].idd'])
    expect(result).toEqual({ name: 'a', part: { kind: 'round' } })
  })

  it('drops a list with several invalid entries once, and nothing around it', () => {
    const { result } = parse({ name: 'a', size: 3, part: { kind: 'round' }, list: [{ x: 1 }, { y: 2 }, {}] })
    expect(result).toEqual({ name: 'a', size: 3, part: { kind: 'round' } })
  })

  it('returns null when the value is not a map', () => {
    expect(parse([1])).toMatchObject({ result: null, messages: ['the file must be a map; found a list'] })
    expect(parse('text')).toMatchObject({ result: null, messages: ['the file must be a map; found "text"'] })
  })
})

describe('an unknown key', () => {
  it.each([
    [{ nmae: 'x' }, 'name'],
    [{ Size: 1 }, 'size'],
    [{ shpae: 1 }, 'shape'],
    [{ part: { kind: 'round', knid: 1 } }, 'kind'],
    [{ named: { x: { id: 'a', ide: 1 } } }, 'id'],
    [{ list: [{ id: 'a', m: 1 }] }, 'n'],
    [{ quite_other: 1 }, undefined],
  ])('%j suggests %s', (extra, suggestion) => {
    const { drafts } = parse({ name: 'a', part: { kind: 'round' }, ...extra })
    expect(drafts).toHaveLength(1)
    expect(drafts[0]).toMatchObject({ code: 'config.unknown-key' })
    expect(drafts[0]?.suggestion).toBe(suggestion)
  })

  it('is shown without control characters', () => {
    expect(parse({ name: 'a', part: { kind: 'round' }, '\u001b[2J': 1 }).messages).toEqual(['unknown key "·[2J"'])
  })
})

describe('a value', () => {
  const whole = { name: 'a', part: { kind: 'round' } }

  it.each([
    [{ ...whole, size: 'x' }, '"size" must be a number; found "x"'],
    [{ ...whole, size: 1.5 }, '"size" must be a whole number; found 1.5'],
    [{ ...whole, size: 0 }, '"size" must be at least 1; found 0'],
    [{ ...whole, size: [1] }, '"size" must be a number; found a list'],
    [{ ...whole, size: { a: 1 } }, '"size" must be a number; found a map'],
    [{ ...whole, name: null }, '"name" must be text; found nothing'],
    [{ ...whole, name: 5 }, '"name" must be text; found 5: put it in quotes'],
    [{ ...whole, part: 'x' }, '"part" must be a map with kind, on; found "x"'],
    [{ ...whole, list: {} }, '"list" must be a list; found a map: start each entry with "- id:"'],
    [{ ...whole, list: Array(4).fill({ id: 'a' }) }, '"list" must have at most 3 entries; found a list'],
    [{ ...whole, part: { kind: 'sqare' } }, '"part.kind" must be one of round, square; found "sqare"'],
    [{ ...whole, size: Number.NaN }, '"size" must be a number; found NaN'],
  ])('that is wrong is described: %j', (value, message) => {
    expect(parse(value).messages).toEqual([message])
  })

  it('from a variable is converted to the expected number or boolean', () => {
    const value = { name: 'a', size: '7', part: { kind: 'round', on: 'true' }, list: [{ id: '1', n: '-2.5' }] }
    const { result, messages } = parse(value, {
      size: '${S}',
      'part.on': '${O}',
      'list[0].n': '${N}',
      'list[0].id': '${I}',
    })
    expect(messages).toEqual([])
    expect(result).toEqual({ name: 'a', size: 7, part: { kind: 'round', on: true }, list: [{ id: '1', n: -2.5 }] })
  })

  it.each(['', ' 7', '7e3', '0x7', 'seven', 'NaN', '1_000'])(
    'from a variable is not a number when it is %j',
    (text) => {
      const { messages } = parse({ ...whole, size: text }, { size: '${SIZE}' })
      expect(messages).toEqual(['"size" must be a number; found the value of ${SIZE}'])
    },
  )

  it('from a variable must be in range', () => {
    expect(parse({ ...whole, size: '12' }, { size: '${SIZE}' }).messages).toEqual([
      '"size" must be at most 9; found the value of ${SIZE}',
    ])
  })
})
