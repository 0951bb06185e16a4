// A Messages request as rules see it: prompts, answers, calls and results.
import type { ContentBlock, MessagesRequest } from '@quarterdeck/model'
import { isRecord, parseUnsavedMessages } from '@quarterdeck/protocol'

export interface ToolCallResult {
  readonly text: string
  readonly isError: boolean
}

export interface ToolCallEntry {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: ToolCallResult | null
  /** Calls of one assistant message share a batch. */
  readonly batch: number
}

export interface PromptImage {
  readonly mediaType: string
  readonly bytes: number | null
}

export type SimulatedEntry =
  | { readonly type: 'prompt'; readonly text: string; readonly images?: readonly PromptImage[] }
  | { readonly type: 'said'; readonly text: string }
  | ToolCallEntry

export type SimulatedConversation = Readonly<ReturnType<typeof readConversation>>

export function readConversation(request: MessagesRequest, agentId: string | null = null) {
  const results = collectResults(request)
  const entries: SimulatedEntry[] = []
  /** Text of the host beside the prompt: environment, date, agent types. */
  let reminders = ''
  for (const [batch, message] of request.messages.entries()) {
    const blocks = asBlocks(message.content)
    if (message.role === 'assistant') entries.push(...assistantEntries(blocks, results, batch))
    else {
      const text = joinText(blocks.filter((block) => !interruptedPattern.test(block.text?.trim() ?? '')))
      const { reminders: found, rest: prompt } = splitReminders(text)
      reminders += found
      const images = imagesIn(blocks)
      if (message.role !== 'user') continue
      const earlier = parseUnsavedMessages(prompt)
      const latest = earlier.pop() ?? ''
      entries.push(...earlier.map((unsaved) => ({ type: 'prompt' as const, text: unsaved })))
      if (latest || images.length > 0) entries.push({ type: 'prompt', text: latest, images })
    }
  }
  const promptIndex = entries.findLastIndex((entry) => entry.type === 'prompt')
  const prompt = entries[promptIndex]
  const system = joinText(asBlocks(request.system ?? ''))
  return {
    request,
    system,
    reminders,
    isSubagent: agentId !== null || system.includes('cc_is_subagent=true'),
    offered: new Map((request.tools ?? []).map((tool) => [tool.name, tool])),
    entries,
    /** The latest prompt of the user, and its position in `entries`. */
    prompt: prompt?.type === 'prompt' ? prompt.text : '',
    promptIndex,
    /** The images of the latest prompt. */
    images: (prompt?.type === 'prompt' ? prompt.images : undefined) ?? [],
    /** The number of prompts that the user has sent, this one included. */
    turn: entries.filter((entry) => entry.type === 'prompt').length,
    /** True if the request asks for the first answer to a prompt, false if it brings tool results. */
    endsWithPrompt: promptIndex === entries.length - 1,
  }
}

/** Calls issued since the latest prompt, oldest first. */
export const callsOfTurn = (conversation: SimulatedConversation): ToolCallEntry[] =>
  conversation.entries.slice(conversation.promptIndex + 1).filter((entry) => entry.type === 'call')

/** The calls whose results this request brings; none if it brings a prompt. */
export function answeredCalls(conversation: SimulatedConversation): ToolCallEntry[] {
  const calls = callsOfTurn(conversation)
  return calls.filter((call) => call.batch === calls.at(-1)?.batch)
}

export const workingDirectoryOf = (conversation: SimulatedConversation): string | null =>
  /working directory: (.+)/i.exec(`${conversation.reminders}\n${conversation.system}`)?.[1]?.trim() ?? null

/** Text that the CLI adds to the person's messages. */
const reminderTag = /<(\/?)(system-reminder|local-command-caveat|local-command-stdout|command-\w+)>/g
const interruptedPattern = /^\[Request interrupted by user[^\]]*\]$/

/** Separates reminders from the text around them, in linear time. A tag that is never closed counts as text. */
function splitReminders(text: string): { readonly reminders: string; readonly rest: string } {
  const tags = [...text.matchAll(reminderTag)].map(({ 0: tag, 1: slash, 2: name, index }) => ({
    name,
    index,
    end: index + tag.length,
    isClosing: slash === '/',
  }))
  const lastClosing = new Map(tags.flatMap(({ isClosing, name, index }) => (isClosing ? [[name, index] as const] : [])))
  const reminders: string[] = []
  let rest = ''
  let restFrom = 0
  let open: (typeof tags)[number] | null = null
  for (const tag of tags) {
    if (open === null && !tag.isClosing && (lastClosing.get(tag.name) ?? -1) > tag.index) open = tag
    if (open === null || !tag.isClosing || tag.name !== open.name) continue
    reminders.push(`${text.slice(open.index, tag.end)}\n`)
    rest += text.slice(restFrom, open.index)
    restFrom = tag.end
    open = null
  }
  return { reminders: reminders.join(''), rest: (rest + text.slice(restFrom)).trim() }
}

function assistantEntries(
  blocks: readonly ContentBlock[],
  results: ReadonlyMap<string, ToolCallResult>,
  batch: number,
): SimulatedEntry[] {
  return blocks.flatMap((block): SimulatedEntry[] => {
    if (block.type === 'text' && block.text?.trim()) return [{ type: 'said', text: block.text }]
    if (block.type !== 'tool_use' || !block.id || !block.name) return []
    const input = isRecord(block.input) ? block.input : {}
    return [{ type: 'call', id: block.id, name: block.name, input, result: results.get(block.id) ?? null, batch }]
  })
}

function collectResults(request: MessagesRequest): Map<string, ToolCallResult> {
  const results = new Map<string, ToolCallResult>()
  for (const message of request.messages) {
    if (message.role !== 'user') continue
    for (const block of asBlocks(message.content)) {
      if (block.type !== 'tool_result' || !block.tool_use_id) continue
      results.set(block.tool_use_id, {
        text: splitReminders(resultText(block.content)).rest,
        isError: block.is_error === true,
      })
    }
  }
  return results
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

// The images of a tool's result are inside its block.
const imagesIn = (blocks: readonly ContentBlock[]): PromptImage[] =>
  blocks.flatMap((block): PromptImage[] => {
    if (block.type !== 'image') return []
    const source = isRecord(block.source) ? block.source : {}
    const bytes = typeof source.data === 'string' ? Buffer.byteLength(source.data, 'base64') : null
    return [{ mediaType: typeof source.media_type === 'string' ? source.media_type : 'image', bytes }]
  })

const asBlocks = (content: string | readonly ContentBlock[]): readonly ContentBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const joinText = (blocks: readonly ContentBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'text' && block.text ? [block.text] : [])).join('\n')

/** The types of subagents that the host offers, from its reminders. */
export const listedAgentTypes = ({ reminders }: SimulatedConversation): readonly string[] =>
  [...reminders.matchAll(/^- ([\w-]+):/gm)].flatMap((match) => match[1] ?? [])
