// Finds the offered tool that fits the request: by the words of its name and description, by its arguments, and by
// whether the request reads or changes something.
import type { ToolParam } from '@quarterdeck/model'
import { isFiller, stemOf, stemsIn, wordsIn } from '../../replies/words.ts'
import { arithmeticIn } from './field-value.ts'
import { numbersIn, pathIn, patternIn } from './found-values.ts'
import { mentionedChoice } from './mentioned-choice.ts'

export interface Fit {
  readonly tool: ToolParam
  readonly score: number
  /** It takes a question and answers from search results. */
  readonly isSearch: boolean
}

type Action = 'look' | 'add' | 'remove' | 'change'

const actionWords: Readonly<Record<Action, string>> = {
  look: 'list show get read fetch find search look query view open describe count many check tell print display lookup ask',
  add: 'add create write save put insert append new remember send',
  remove: 'delete remove drop clear forget cancel erase',
  change: 'update edit change rename move modify replace',
}
const actionOf = new Map(
  Object.entries(actionWords).flatMap(([action, words]) => words.split(' ').map((word) => [stemOf(word), action])),
)
// Words of a request that tools name differently.
const alsoMeans = new Map(
  ['file directory', 'folder directory', 'total sum', 'plus sum'].map((pair) => {
    const [mentioned = '', named = ''] = pair.split(' ').map(stemOf)
    return [mentioned, named]
  }),
)
const calculatorPattern = /calc|math|arithmetic|expression/i

/** Above this score a tool is called even if other rules could answer. */
export const sureScore = 3

/** Best first, without tools whose required arguments are missing. */
export function fittingTools(prompt: string, tools: Iterable<ToolParam>): readonly Fit[] {
  const asked = askedOf(prompt)
  const fits = [...tools].flatMap((tool) => {
    const fit = tool.name.startsWith('mcp__') ? fitOf(tool, asked) : null
    return fit === null ? [] : [fit]
  })
  return fits.toSorted((left, right) => right.score - left.score)
}

interface Asked {
  readonly prompt: string
  readonly stems: ReadonlySet<string>
  /** The action of the sentence: its first verb of such a kind. */
  readonly action: string | null
  readonly numbers: number
}

function askedOf(prompt: string): Asked {
  const beginning = prompt.split(/:\s|\n/)[0] ?? prompt
  const action = wordsIn(beginning).flatMap((word) => actionOf.get(stemOf(word)) ?? [])[0] ?? null
  const mentioned = stemsIn(prompt)
  const also = [...mentioned].flatMap((stem) => alsoMeans.get(stem) ?? [])
  return { prompt, stems: new Set([...mentioned, ...also]), action, numbers: numbersIn(prompt).length }
}

function fitOf(tool: ToolParam, asked: Asked): Fit | null {
  const [, server = '', ...name] = tool.name.split('__')
  const own = wordsIn(name.join(' '))
    .filter((word) => !isFiller(word))
    .map(stemOf)
  const action = own.flatMap((stem) => actionOf.get(stem) ?? [])[0] ?? null
  // A tool that changes something is only used for a request to change, and one that reads only for a request to read.
  if (action !== null && action !== (asked.action ?? 'look')) return null
  const matter = own.filter((stem) => !actionOf.has(stem))
  const hits = matter.filter((stem) => asked.stems.has(stem)).length
  // `netbox_get_objects` of a server `netbox`: a question does not repeat the server's name.
  const servers = new Set(wordsIn(server).map(stemOf))
  const missed = matter.filter((stem) => !asked.stems.has(stem) && !servers.has(stem)).length
  const describedHits = [...stemsIn(tool.description ?? '')].filter(
    (stem) => asked.stems.has(stem) && isSubject(stem),
  ).length
  const given = argumentsFit(tool, asked)
  if (given === null) return null
  const calculates =
    calculatorPattern.test(`${tool.name} ${tool.description}`) && arithmeticIn(asked.prompt) !== null
      ? sureScore + 1
      : 0
  const isMentioned = own.some((stem) => actionOf.has(stem) && asked.stems.has(stem))
  const done = (action !== null && asked.action === action ? 1 : 0) + (isMentioned ? 1.5 : 0)
  const called = asked.stems.has(own[0] ?? '') && own.length === 1 ? sureScore : 0
  const score = hits * 3 + describedHits + given + calculates + done + called - missed * 0.5
  return { tool, score, isSearch: isSearch(tool) }
}

/** A number that a description also contains is not an argument. */
const isSubject = (stem: string): boolean => !actionOf.has(stem) && !/^\d+$/.test(stem)

const isSearch = ({ name, input_schema: schema }: ToolParam): boolean =>
  /search|lookup|retriev|(?:^|_)find/i.test(name) && propertiesOf(schema).some(([each]) => questionField.test(each))

const questionField = /^(?:query|question|q|search|text)$/i

/** How well the arguments fit; null if a required one is missing. */
function argumentsFit({ input_schema: schema }: ToolParam, { prompt, numbers }: Asked): number | null {
  let fit = 0
  let wanted = 0
  for (const [name, property] of propertiesOf(schema)) {
    if (typeof property.pattern === 'string') {
      if (patternIn(property.pattern, prompt) === null) return null
      fit += sureScore
    }
    if (Array.isArray(property.enum) && mentionedChoice(property.enum, prompt) !== undefined) fit += sureScore
    if (property.type === 'number' || property.type === 'integer') wanted += 1
    if (property.type === 'string' && /path|file/i.test(name) && pathIn(prompt) !== null) fit += 2
  }
  if (wanted > numbers) return null
  return fit + (wanted > 0 ? 1 : 0)
}

/** The required arguments. */
function propertiesOf(schema: ToolParam['input_schema']): (readonly [name: string, schema: Record<string, unknown>])[] {
  const required = Array.isArray(schema?.required) ? schema.required : []
  const properties = schema?.properties
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).filter(([name]) => required.includes(name))
}
