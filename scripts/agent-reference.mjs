// Writes docs/reference/agent-file.md and agent.schema.json from the schema that loads agent files. With --check it writes
// nothing and fails when they are out of date. Needs the built engine (npm run build).
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { agentFileReference } from '../packages/engine/dist/config/agent-reference.js'
import { agentSchemaText } from '../packages/engine/dist/config/agent-schema.js'

const folder = new URL('../docs/reference/', import.meta.url)
const pages = {
  'agent-file.md': agentFileReference(),
  'agent.schema.json': agentSchemaText(),
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
