// Asks for an approval in a terminal: shows the whole input, then reads one letter.
import type { Interface } from 'node:readline/promises'
import {
  type AnswerQuestionBody,
  type DecideApprovalBody,
  type EventOfType,
  type JsonObject,
  type OfferedRule,
  offeredRules,
  visibleJson,
  visibleText,
} from '@quarterdeck/protocol'
import { parseObject } from '../flags/parse-object.ts'
import { approvalLines, questionHead } from '../render/asked-lines.ts'
import type { Palette } from '../render/palette.ts'
import { remark, type Terminal } from '../terminal/terminal.ts'
import { askQuestion, type QuestionRequest } from './ask-question.ts'
import { createReader } from './read-answer.ts'

type Request = EventOfType<'ApprovalRequested'>['data']

export type TerminalAsker = ReturnType<typeof createTerminalAsker>

export interface TerminalAskerOptions {
  readonly terminal: Terminal
  readonly palette: Palette
  /** The working directory of the session: paths below it are shown relative. */
  readonly cwd: string
  /** The prompt that already reads the terminal, if any. */
  readonly prompt?: Interface
  /** The user left at a question: with Ctrl-C or Ctrl-D, which the prompt consumes, or at the end of the input. */
  readonly onLeave?: () => void
}

export function createTerminalAsker({ terminal, palette, cwd, prompt: shared, onLeave }: TerminalAskerOptions) {
  const read = createReader({ terminal, palette, shared, onLeave })

  async function edit(request: Request, signal: AbortSignal): Promise<DecideApprovalBody | null> {
    const { command } = request.toolInput
    // Only a single line can be edited as text.
    const isLine = typeof command === 'string' && visibleText(command) === command && !command.includes('\n')
    const present = isLine ? command : visibleJson(JSON.stringify(request.toolInput))
    const text = await read(isLine ? '  new command: ' : '  new input as JSON: ', { signal, present })
    if (text === null || text === '') return null
    if (text === present) return { decision: 'allow' }
    if (isLine) return { decision: 'allow', input: { ...request.toolInput, command: text } }
    const input: JsonObject | null = parseObject(text)
    if (input === null) remark(terminal, palette.bad('  that is not a JSON object'))
    return input === null ? null : { decision: 'allow', input }
  }

  return {
    /** `null` when the user left, or the approval was decided elsewhere: the request stays as it is. */
    async askApproval(request: Request, signal: AbortSignal): Promise<DecideApprovalBody | null> {
      for (const line of approvalLines(request, { palette, cwd })) remark(terminal, line)
      const rules = offeredRules(request)
      const forSession = rules.map(
        ({ scope, label }) => `[${keys[choiceFor[scope]]}] allow ${visibleText(label)} in this session`,
      )
      const options = `  ${['[y] allow once', ...forSession, '[e] edit', '[n] deny'].join('  ')}: `
      for (;;) {
        const answer = await read(options, { signal })
        if (answer === null) return null
        const choice = choiceOf(answer)
        if (choice === 'yes') return { decision: 'allow' }
        const chosen = rules.find(({ scope }) => choice === choiceFor[scope])
        if (chosen !== undefined) {
          return { decision: 'allow_session', ...(chosen.scope === 'call' ? {} : { rule: chosen.rule }) }
        }
        if (choice === 'no') return deny(await read('  note for the agent (empty for none): ', { signal }))
        if (choice !== 'edit') {
          const accepted = ['y', ...rules.map(({ scope }) => keys[choiceFor[scope]]), 'e']
          remark(terminal, `  please answer ${accepted.join(', ')} or n`)
          continue
        }
        const edited = await edit(request, signal)
        if (edited !== null) return edited
      }
    },
    /** `null` as above. */
    askQuestion(asked: QuestionRequest, signal: AbortSignal): Promise<AnswerQuestionBody | null> {
      remark(terminal, questionHead(asked, palette))
      return askQuestion(asked, {
        print: (line) => remark(terminal, line),
        read: (text, present) => read(text, { signal, ...(present === undefined ? {} : { present }) }),
      })
    },
    /** Prints why a decision was refused; the question is asked again. */
    showProblem: (problem: string): void => remark(terminal, palette.bad(`  ${visibleText(problem)}`)),
  }
}

const choices = ['yes', 'session', 'tool', 'server', 'edit', 'no'] as const
type Choice = (typeof choices)[number]

const keys: Readonly<Record<Choice, string>> = { yes: 'y', session: 's', tool: 't', server: 'v', edit: 'e', no: 'n' }

const choiceFor: Readonly<Record<OfferedRule['scope'], Choice>> = { call: 'session', tool: 'tool', server: 'server' }

/** The letter or the whole word: a sentence that starts with the letter must not allow a call. */
const choiceOf = (answer: string): Choice | null => {
  const typed = answer.toLowerCase()
  return choices.find((choice) => typed === choice || typed === keys[choice]) ?? null
}

const deny = (note: string | null): DecideApprovalBody => ({
  decision: 'deny',
  ...(note === null || note === '' ? {} : { note }),
})
