// The tools that the model may call: those of the engine, those of clients, and the question tool.
import type { ClientTool } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import { questionTool } from '../../../ports/question-tool.ts'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { SessionOptions } from '../../backend.ts'

type Toolboxes = Pick<SessionOptions, 'hostTools' | 'clientTools'>

/**
 * The current list: toolboxes change during a session. The order is stable, which keeps the provider's prompt cache
 * valid.
 */
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

/** The same schema as in the Claude CLI, so that agents and people see the same on both. */
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
