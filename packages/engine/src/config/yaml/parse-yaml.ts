// Parses YAML into plain values with the position of every key and value. All input is bounded before the library
// recurses: deep nesting ends the whole process inside it (measured: 200,000 brackets), its check for duplicate keys
// takes minutes on one megabyte of keys, and alias expansion is a known attack.
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type YAMLMap,
} from 'yaml'
import type { ProblemCode } from '../problems/problem.ts'
import { formatPath, type Path } from '../problems/value-path.ts'

const maxDepth = 100
const maxValues = 20_000
const maxReported = 20

export interface Position {
  readonly line: number
  readonly column: number
}

export interface YamlProblem extends Position {
  readonly code: ProblemCode
  readonly path: string
  readonly message: string
}

export interface YamlTree {
  /** Maps as objects, lists as arrays, scalars as YAML 1.2 reads them; undefined for an empty document. */
  readonly value: unknown
  readonly problems: readonly YamlProblem[]
  /** The position of a path, or of its nearest ancestor in the file. Default part: the key. */
  positionOf(path: Path, part?: 'key' | 'value'): Position
}

/** Never throws: text that cannot be parsed is a problem. */
export function parseYaml(text: string): YamlTree {
  const lines = new LineCounter()
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const written = text.replace(/^\uFEFF/, '')
  const documents = compose(written, lines)
  if (typeof documents === 'number') {
    return broken({ ...at(documents), message: `nested deeper than ${maxDepth} levels` })
  }
  const [document, second] = documents
  const faults = documents.flatMap((each) => [...each.errors, ...each.warnings])
  const bare = faults.find(({ pos: [start] }) => start > 0 && written.startsWith('${', start - 1))
  if (bare !== undefined) return broken({ ...at(bare.pos[0] - 1), message: bareReference })
  if (faults.length > 0) {
    const reportedFaults = faults.filter((fault, index) => index === 0 || !isEcho(fault)).slice(0, maxReported)
    return broken(...reportedFaults.map((fault) => ({ ...at(fault.pos[0]), message: messageOf(fault) })))
  }
  if (second !== undefined) {
    return broken({ ...at(second.range[0]), message: 'a second document starts here: a file may contain only one' })
  }
  return convert(document, at)
}

/** The documents, or the offset where the nesting is too deep. */
function compose(text: string, lines: LineCounter): readonly Document.Parsed[] | number {
  const parser = new Parser(lines.addNewLine)
  const tokens = []
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > maxDepth) return parser.offset
  }
  for (const token of parser.end()) tokens.push(token)
  const options = { uniqueKeys: false, logLevel: 'silent', prettyErrors: false } as const
  return [...new Composer(options).compose(tokens, true, text.length)]
}

function broken(...problems: readonly (Position & { message: string })[]): YamlTree {
  const first = problems[0] ?? { line: 1, column: 1 }
  return {
    value: undefined,
    problems: problems.map((problem) => ({ ...problem, code: 'config.malformed-yaml', path: '' })),
    positionOf: () => ({ line: first.line, column: first.column }),
  }
}

const messageByCode: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation: YAML allows only spaces',
  RESOURCE_EXHAUSTION: 'nested too deeply',
}

/** Its brace starts a flow map there, and the rest of the file cannot be parsed. */
const bareReference = 'inside { } and [ ] a reference needs quotes: write "${…}"'

/** A follow-up error of an earlier mistake, one for each leftover word. */
const isEcho = ({ message }: { message: string }): boolean => / token in YAML stream: /.test(message)

function messageOf(fault: { code: string; message: string }): string {
  return messageByCode[fault.code] ?? `not valid YAML: ${fault.message.split('\n')[0]}`
}

interface EntryPositions {
  readonly key: Position
  readonly value: Position
}

interface Conversion {
  readonly document: Document.Parsed
  readonly positions: Map<string, EntryPositions>
  readonly problems: YamlProblem[]
  readonly at: (offset: number) => Position
  /** Anchored nodes being expanded, to stop at one that contains itself. */
  readonly open: Set<Node>
  left: number
}

function convert(document: Document.Parsed | undefined, at: (offset: number) => Position): YamlTree {
  const positions = new Map<string, EntryPositions>()
  const start = at(document?.contents?.range?.[0] ?? 0)
  const positionOf = (path: Path, part: 'key' | 'value' = 'key'): Position => {
    for (let length = path.length; length > 0; length -= 1) {
      const position = positions.get(formatPath(path.slice(0, length)))
      if (position !== undefined) return position[part]
    }
    return start
  }
  if (document === undefined || document.contents === null) return { value: undefined, problems: [], positionOf }
  const conversion: Conversion = { document, positions, problems: [], at, open: new Set(), left: maxValues }
  const value = nodeValue(document.contents, [], conversion)
  return { value, problems: conversion.problems, positionOf }
}

function nodeValue(node: unknown, path: Path, conversion: Conversion): unknown {
  conversion.left -= 1
  if (conversion.left < 0) {
    tooMany(conversion, path, node)
    return null
  }
  if (isAlias(node)) return throughAlias(node, { path, conversion }, (target) => nodeValue(target, path, conversion))
  if (isScalar(node)) {
    if (typeof node.value === 'string' && !node.value.isWellFormed()) {
      reportAt(conversion, {
        path,
        node,
        message: 'this escape is only half of a character: write \\UXXXXXXXX for the whole character',
      })
    }
    return typeof node.value === 'bigint' ? Number(node.value) : node.value
  }
  if (isSeq(node)) return node.items.map((item, index) => itemValue(item, [...path, index], conversion))
  if (isMap(node)) return fill({}, node, { path, conversion })
  return null
}

function tooMany(conversion: Conversion, path: Path, node: unknown): void {
  if (conversion.left === -1) reportAt(conversion, { path, node, message: `more than ${maxValues} values` })
}

function itemValue(item: unknown, path: Path, conversion: Conversion): unknown {
  const position = positionIn(item, conversion)
  if (position !== undefined) conversion.positions.set(formatPath(path), { key: position, value: position })
  return nodeValue(item, path, conversion)
}

interface Spot {
  readonly path: Path
  readonly conversion: Conversion
}

/** `null` if the alias has no target or contains itself. */
function throughAlias<Value>(alias: Alias, { path, conversion }: Spot, use: (target: Node) => Value): Value | null {
  const target = alias.resolve(conversion.document)
  if (target === undefined || conversion.open.has(target)) {
    const message =
      target === undefined ? `no anchor "&${alias.source}" before this` : `"*${alias.source}" contains itself`
    reportAt(conversion, { path, node: alias, message })
    return null
  }
  conversion.open.add(target)
  const value = use(target)
  conversion.open.delete(target)
  return value
}

/** Existing keys stay, with their positions. */
function fill(values: Record<string, unknown>, map: YAMLMap, { path, conversion }: Spot): Record<string, unknown> {
  const earlier = new Set(Object.keys(values))
  const merges: Pair[] = []
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : undefined
    if (key === undefined || key === '__proto__') {
      reportAt(conversion, { path, node: pair.key, message: 'a key must be plain text' })
    } else if (key === '<<') {
      merges.unshift(pair)
    } else if (earlier.has(key)) {
      // Overridden by a nearer map.
    } else if (Object.hasOwn(values, key)) {
      reportAt(conversion, {
        path: [...path, key],
        node: pair.key,
        message: `"${key}" is written twice`,
        code: 'config.duplicate-key',
      })
    } else {
      values[key] = pairValue(pair, [...path, key], conversion)
    }
  }
  for (const { key, value } of merges) {
    for (const source of isSeq(value) ? value.items : [value]) mergeMap(values, { key, source }, { path, conversion })
  }
  return values
}

/** `<<: *base` or `<<: [*one, *two]`; earlier entries win, as in every YAML 1.1 reader. */
function mergeMap(
  values: Record<string, unknown>,
  { key, source }: { readonly key: unknown; readonly source: unknown },
  spot: Spot,
): void {
  const { conversion, path } = spot
  conversion.left -= 1
  if (conversion.left < 0) return tooMany(conversion, path, source)
  if (isMap(source)) return void fill(values, source, spot)
  if (isAlias(source)) {
    return void throughAlias(source, spot, (target) => mergeMap(values, { key: source, source: target }, spot))
  }
  const message = '"<<" must refer to maps: write <<: *name, or a list of references'
  reportAt(conversion, { path: [...path, '<<'], node: positionIn(source, conversion) ? source : key, message })
}

function pairValue(pair: Pair, path: Path, conversion: Conversion): unknown {
  const key = positionIn(pair.key, conversion) ?? { line: 1, column: 1 }
  conversion.positions.set(formatPath(path), { key, value: positionIn(pair.value, conversion) ?? key })
  return nodeValue(pair.value, path, conversion)
}

function positionIn(node: unknown, conversion: Conversion): Position | undefined {
  const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined
  return range ? conversion.at(range[0]) : undefined
}

function reportAt(
  conversion: Conversion,
  fault: { path: Path; node: unknown; message: string; code?: ProblemCode },
): void {
  if (conversion.problems.length >= maxReported) return
  const position = positionIn(fault.node, conversion) ?? { line: 1, column: 1 }
  const code = fault.code ?? 'config.malformed-yaml'
  conversion.problems.push({ ...position, code, path: formatPath(fault.path), message: fault.message })
}
