// Syntax highlighting for SQL and JavaScript in one pass, without a grammar: unknown text stays plain.

export type CodeLanguage = 'sql' | 'javascript'

export interface CodePart {
  readonly text: string
  readonly tone: 'word' | 'text' | 'number' | 'comment' | null
}

const sqlWords = words(`
  select from where group by order having limit offset join left right full inner outer cross on using as and or not in
  is null like ilike between case when then else end distinct union all except intersect with recursive values filter
  over partition rows range unbounded preceding following current row asc desc nulls first last exists any cast try_cast
  interval true false qualify pivot unpivot describe summarize show explain lateral natural asof semi anti sample
`)
const sqlFunctions = words(`
  count sum avg min max round abs floor ceil median mode quantile_cont stddev coalesce nullif greatest least lower upper
  trim length substr substring replace concat strftime strptime date_trunc date_part date_diff datediff extract year
  month day week hour quarter row_number rank dense_rank lag lead first_value last_value ntile list string_agg any_value
  arg_max arg_min count_if
`)
const scriptWords = words(`
  const let var function return if else for of in while do break continue switch case default new typeof instanceof
  try catch finally throw class extends true false null undefined this void delete await async yield
`)

const patterns: Readonly<Record<CodeLanguage, RegExp>> = {
  sql: /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*(?:'|$))|(?<name>"(?:[^"]|"")*(?:"|$))|(?<number>(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|(?<word>[\p{L}_][\p{L}\p{N}_]*)/giu,
  javascript:
    /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\[\s\S])*(?:`|$))|(?<number>(?<![\w.])\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?n?\b)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)/giu,
}

export function highlight(code: string, language: CodeLanguage): readonly CodePart[] {
  const parts: CodePart[] = []
  let plain = ''
  let at = 0
  const flush = () => {
    if (plain !== '') parts.push({ text: plain, tone: null })
    plain = ''
  }
  for (const match of code.matchAll(patterns[language])) {
    const [text] = match
    const end = match.index + text.length
    plain += code.slice(at, match.index)
    at = end
    const tone = toneOf(match, { language, isCalled: /^\s*\(/.test(code.slice(end, end + 20)) })
    if (tone === null) {
      plain += text
      continue
    }
    flush()
    parts.push({ text, tone })
  }
  plain += code.slice(at)
  flush()
  return parts
}

interface Position {
  readonly language: CodeLanguage
  readonly isCalled: boolean
}

function toneOf({ groups = {} }: RegExpMatchArray, { language, isCalled }: Position): CodePart['tone'] {
  if (groups.comment !== undefined) return 'comment'
  if (groups.text !== undefined) return 'text'
  if (groups.number !== undefined) return 'number'
  if (groups.word === undefined) return null
  if (language === 'javascript') return scriptWords.has(groups.word) ? 'word' : null
  const word = groups.word.toLowerCase()
  // `month` is a column name unless it is called.
  return sqlWords.has(word) || (isCalled && sqlFunctions.has(word)) ? 'word' : null
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/))
}
