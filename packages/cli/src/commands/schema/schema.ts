// `quarterdeck schema`: the JSON Schema that editors check agent files against.
import { agentSchemaText, configSchemaText } from '@quarterdeck/engine'
import type { Terminal } from '../../terminal/terminal.ts'

export function schema(terminal: Terminal, flags: { readonly config?: boolean }): number {
  terminal.stdout.write(flags.config === true ? configSchemaText() : agentSchemaText())
  return 0
}
