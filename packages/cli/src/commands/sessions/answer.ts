// `quarterdeck sessions answer`: answers a question from a script or another terminal.
import type { Client } from '@quarterdeck/client'
import {
  elicitedFields,
  type JsonObject,
  QuarterdeckError,
  QuestionId,
  type QuestionList,
  visibleText,
} from '@quarterdeck/protocol'
import { connectServer } from '../../connect/connect-server.ts'
import { objectFlag } from '../../flags/parse-object.ts'
import type { JsonFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { paletteFor } from '../../render/palette.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { errorLine } from '../../terminal/error-text.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'

export interface AnswerFlags extends JsonFlags {
  readonly decline?: boolean
  readonly note?: string
  readonly answers?: string
}

type Question = QuestionList['questions'][number]

/** Words answer a single question. Several questions and forms need `--answers` with a JSON object. */
export async function answer(
  terminal: Terminal,
  input: { what: string; words: readonly string[]; flags: AnswerFlags },
): Promise<number> {
  const { flags } = input
  const text = input.words.join(' ')
  const ways = [text !== '', flags.answers !== undefined, flags.decline === true]
  if (ways.filter(Boolean).length > 1) throw misuse('use only one of: words, --answers, --decline')
  const given = flags.answers === undefined ? null : objectFlag(flags.answers, '--answers')
  const client = await connectServer(terminal, flags)
  const question = await questionOf(client, terminal, input.what)
  if (question === null) {
    remark(terminal, errorLine(`${input.what} has no open question`, paletteFor(terminal.stderr, terminal.env)))
    return 1
  }
  const answers =
    flags.decline === true ? null : (given ?? answerInWords(question, { text, command: commandLine(terminal) }))
  const note = flags.note === undefined ? {} : { note: flags.note }
  const applied = await client.answerQuestion(question.questionId, { answers, ...note })
  const done = `${answers === null ? 'declined' : 'answered'} ${question.questionId}`
  print(terminal, flags.json === true ? jsonText(applied) : done)
  return 0
}

/** `null` for a session without open questions. */
async function questionOf(client: Client, terminal: Terminal, what: string): Promise<Question | null> {
  const isQuestion = QuestionId.safeParse(what).success
  const session = isQuestion ? {} : { session: sessionIdOf(terminal, what) }
  const { questions } = await client.listQuestions(session)
  const open = isQuestion ? questions.filter(({ questionId }) => questionId === what) : questions
  const [only, ...more] = open
  if (only === undefined) {
    if (!isQuestion) return null
    throw new QuarterdeckError('question.not-found', `${what} is not open`)
  }
  if (more.length === 0) return only
  const list = open.map((one) => `  ${one.questionId}  ${askedBy(one)}`).join('\n')
  throw misuse(`${open.length} questions are open: choose one\n${list}`)
}

/** Throws `request.invalid` with the whole question when words alone cannot answer it. */
export function answerInWords(
  question: Question,
  { text, command }: { readonly text: string; readonly command: string },
): JsonObject {
  const [item, ...more] = question.items
  if (text !== '' && item !== undefined && more.length === 0) return { [item.question]: text }
  throw misuse(visibleText(howToAnswer(question, command)))
}

const askedBy = ({ items, message }: Question): string =>
  visibleText(message || items.map(({ question }) => question).join(' / '))

function howToAnswer(question: Question, command: string): string {
  const { questionId, source, items, message, schema, url } = question
  const fields = elicitedFields(schema ?? {}).map(({ name, description }) =>
    description ? `${name} (${description})` : name,
  )
  const wanted = source === 'mcp' ? fields : items.map(askedWithOptions)
  const how =
    source !== 'mcp'
      ? items.length === 1
        ? `answer with an option or your own words (${command} sessions answer ${questionId} ANSWER):`
        : `use --answers '{"question": "answer"}' for:`
      : fields.length === 0
        ? `use --answers '{}' to agree, or --decline:`
        : `use --answers '{"field": "value"}' or --decline, for:`
  const lines = [message, ...(url === null ? [] : [`open this address: ${url}`]), ...wanted]
  return [how, ...lines.filter((line) => line !== '').map((line) => `  ${line}`)].join('\n')
}

const askedWithOptions = ({ question, options }: Question['items'][number]): string =>
  options.length === 0 ? question : `${question} (${options.map(({ label }) => label).join(', ')})`
