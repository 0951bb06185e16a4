// An approval asked on a terminal: the exact input, whole, then one letter.
import { createInterface, type Interface } from 'node:readline/promises'
import type { Decision } from '@quarterdeck/engine'
import { type AnswerQuestionBody, type EventOfType, formatRule, visibleText } from '@quarterdeck/protocol'
import { type AskedQuestion, askQuestion } from './ask-question.ts'
import { parseObject } from './parse-object.ts'
import { approvalLines, questionHead } from './render/asked-lines.ts'
import type { Palette } from './render/palette.ts'
import { remark, type Terminal } from './terminal.ts'

type Request = EventOfType<'ApprovalRequested'>['data']

export interface Asker {
  /** `null` when the person left without deciding, or somebody else decided meanwhile: the request stays as it is. */
  askApproval(request: Request, signal: AbortSignal): Promise<Decision | null>
  /** `null` as above. */
  askQuestion(question: AskedQuestion, signal: AbortSignal): Promise<AnswerQuestionBody | null>
  /** Why a decision could not be taken; the question follows again. */
  tell(problem: string): void
}

export interface AskerOptions {
  readonly terminal: Terminal
  readonly palette: Palette
  /** The session's folder: paths below it are shown from there. */
  readonly cwd: string
  /** The prompt that already reads the terminal, if there is one. */
  readonly prompt?: Interface
  /** The person left at a question: Ctrl-C or Ctrl-D, which the prompt swallows, or the end of the input. */
  readonly onLeave?: () => void
}

export function createAsker({ terminal, palette, cwd, prompt: shared, onLeave }: AskerOptions): Asker {
  async function question(text: string, signal: AbortSignal): Promise<string | null> {
    const prompt = shared ?? createInterface({ input: terminal.stdin, output: terminal.stderr })
    try {
      return (await prompt.question(text, { signal })).trim()
    } catch {
      if (!signal.aborted) onLeave?.()
      return null // the person left, or the question was withdrawn
    } finally {
      if (shared === undefined) prompt.close()
    }
  }

  async function edit(request: Request, signal: AbortSignal): Promise<Decision | null> {
    const field = typeof request.toolInput.command === 'string' ? 'command' : null
    const text = await question(field === null ? '  new input as JSON: ' : '  new command: ', signal)
    if (text === null || text === '') return null
    if (field !== null) return { decision: 'allow', input: { ...request.toolInput, [field]: text } }
    const input = parseObject(text)
    if (input === null) remark(terminal, palette.bad('  that is not a JSON object'))
    return input === null ? null : { decision: 'allow', input }
  }

  return {
    async askApproval(request, signal) {
      for (const line of approvalLines(request, { palette, cwd })) remark(terminal, line)
      const rule = formatRule(request.sessionRule)
      const options = `  [y] allow once  [s] allow ${visibleText(rule)} in this session  [e] edit  [n] deny: `
      for (;;) {
        const answer = await question(options, signal)
        if (answer === null) return null
        const letter = answer.charAt(0).toLowerCase()
        if (letter === 'y') return { decision: 'allow' }
        if (letter === 's') return { decision: 'allow_session' }
        if (letter === 'n') return deny(await question('  a word to the agent (empty for none): ', signal))
        if (letter !== 'e') continue
        const edited = await edit(request, signal)
        if (edited !== null) return edited
      }
    },
    askQuestion(asked, signal) {
      remark(terminal, questionHead(asked, palette))
      return askQuestion(asked, { say: (line) => remark(terminal, line), read: (text) => question(text, signal) })
    },
    tell: (problem) => remark(terminal, palette.bad(`  ${visibleText(problem)}`)),
  }
}

const deny = (note: string | null): Decision => ({
  decision: 'deny',
  ...(note === null || note === '' ? {} : { note }),
})
