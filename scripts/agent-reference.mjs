// Writes docs/reference/agent-file.md, agent-file-effects.md and agent.schema.json from the schema that loads agent files,
// and the methods in sidecar.md from the table of operations. With --check it writes nothing and fails when they are out
// of date. Needs the built packages (npm run build).
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { agentFields } from '../packages/engine/dist/config/reference/agent-fields.js'
import { agentFileReference } from '../packages/engine/dist/config/reference/agent-reference.js'
import { agentSchemaText } from '../packages/engine/dist/config/reference/agent-schema.js'
import { agentEffectsPage } from './agent-effects.mjs'
import { withMethods } from './operation-tables.mjs'

const folder = new URL('../docs/reference/', import.meta.url)
const repository = fileURLToPath(new URL('..', import.meta.url))
const pages = {
  'agent-file.md': agentFileReference(),
  'agent-file-effects.md': await agentEffectsPage(repository, agentFields()),
  'agent.schema.json': agentSchemaText(),
  'sidecar.md': withMethods(await readFile(new URL('sidecar.md', folder), 'utf8')),
}

const isCheck = process.argv.includes('--check')
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(name, folder)
  const current = await readFile(file, 'utf8').catch(() => '')
  if (current === text) continue
  if (isCheck) {
    console.error(`${fileURLToPath(file)} is out of date: run node scripts/agent-reference.mjs`)
    process.exitCode = 1
  } else {
    await mkdir(folder, { recursive: true })
    await writeFile(file, text)
    console.log(`wrote ${fileURLToPath(file)}`)
  }
}
