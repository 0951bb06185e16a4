// `npm start`: serves the example agents, with the local simulator if there is no key. Arguments are passed on.
import { fileURLToPath } from 'node:url'
import { launch } from '../packages/cli/bin/launch.mjs'
import { exampleAgents } from './example-agents.mjs'

const examples = fileURLToPath(new URL('../examples', import.meta.url))

console.log(`Quarterdeck on Node ${process.versions.node}: the agents of examples/`)
// In this process, so that Ctrl-C and SIGTERM reach the server directly.
process.exitCode = await launch([
  'serve',
  ...exampleAgents(examples),
  '--model-source',
  'auto',
  ...process.argv.slice(2),
])
