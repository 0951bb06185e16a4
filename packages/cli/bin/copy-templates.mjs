// `init` copies the examples. A published package has no examples folder, so packing copies them into a folder that is
// not searched for agents.
import { cp, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))
const templates = fileURLToPath(new URL('../dist/templates/', import.meta.url))

await rm(templates, { recursive: true, force: true })
await cp(examples, templates, { recursive: true, filter: (path) => !basename(path).startsWith('.') })
