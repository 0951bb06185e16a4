// The two tools that the contract suite uses, in this process.
import { writeFileSync } from 'node:fs'
import type { HostToolbox } from '../../../ports/host-toolbox.ts'

const text = { type: 'string' }

export const shellTools: HostToolbox = {
  list: () => [
    {
      name: 'Bash',
      description: 'Runs a command.',
      inputSchema: { type: 'object', properties: { command: text }, required: ['command'] },
    },
    {
      name: 'Write',
      description: 'Writes a file.',
      inputSchema: {
        type: 'object',
        properties: { file_path: text, content: text },
        required: ['file_path', 'content'],
      },
    },
  ],
  onChange: () => () => undefined,
  servers: () => [],
  onServer: () => () => undefined,
  async call({ toolName, toolInput }) {
    if (toolName === 'Write') {
      writeFileSync(String(toolInput.file_path), String(toolInput.content))
      return { output: 'written', isError: false }
    }
    const command = String(toolInput.command)
    return { output: command.replace('echo ', ''), isError: command.startsWith('exit') }
  },
}
