// What the model may call: the tools of the engine, those of clients, and a question to a person.
import type { ClientTool } from '@quarterdeck/protocol'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { HostTool, SessionOptions } from '../../backend.ts'
import { questionTool } from '../../question-tool.ts'

type Toolboxes = Pick<SessionOptions, 'hostTools' | 'clientTools'>

/** As of now: toolboxes change while a session lives. Their order stays, so that providers find it in their caches. */
export function offeredTools({ hostTools, clientTools }: Toolboxes, canAsk: boolean): readonly HostTool[] {
  return [...hostTools.list(), ...clientTools.list().map(asHostTool), ...(canAsk ? [question] : [])]
}

const asHostTool = ({ name, description, inputSchema }: ClientTool): HostTool => ({
  name: clientToolName(name),
  description,
  inputSchema,
})

const text = { type: 'string' }

const option = {
  type: 'object',
  properties: { label: text, description: text },
  required: ['label', 'description'],
  additionalProperties: false,
}

const item = {
  type: 'object',
  properties: {
    question: { ...text, description: 'The whole question, ending with a question mark.' },
    header: { ...text, description: 'One or two words that name it.' },
    options: { type: 'array', items: option, minItems: 2, maxItems: 4 },
    multiSelect: { type: 'boolean', description: 'Whether several options may be chosen.' },
  },
  required: ['question', 'header', 'options', 'multiSelect'],
  additionalProperties: false,
}

/** The same as the Claude CLI's, so that agents and people meet the same thing on both. */
const question: HostTool = {
  name: questionTool,
  description:
    'Asks the person one to four questions, each with options to choose from; they may always answer in their own words. Use it when you cannot go on without a decision that is theirs.',
  inputSchema: {
    type: 'object',
    properties: { questions: { type: 'array', items: item, minItems: 1, maxItems: 4 } },
    required: ['questions'],
    additionalProperties: false,
  },
}
