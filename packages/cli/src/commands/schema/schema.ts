// `quarterdeck schema`: the JSON Schema that editors use to check agent files.
import { agentSchemaText, configSchemaText } from '@quarterdeck/engine'
import type { AddCommand } from '../../flags/command-options.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export const addSchemaCommand: AddCommand = (program, terminal, finish) => {
  program
    .command('schema')
    .description('print the JSON Schema of agent.yaml, for editors')
    .option('--config', 'print the schema of config.yaml instead')
    .action((flags) => finish(schema(terminal, flags)))
}

function schema(terminal: Terminal, flags: { readonly config?: boolean }): number {
  terminal.stdout.write(flags.config === true ? configSchemaText() : agentSchemaText())
  return 0
}
