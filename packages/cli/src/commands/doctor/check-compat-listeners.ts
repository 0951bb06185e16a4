import { existsSync } from 'node:fs'
import { approvalNotice } from '../../connect/approval-notice.ts'
import { connectServerIfRunning, type ServerFlags } from '../../connect/connect-server.ts'
import { dataFolder } from '../../flags/runtime-options.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Check } from './check-port.ts'

/** A warning for each compatibility listener of the server on this data folder: they need no token. */
export async function checkCompatListeners(terminal: Terminal, flags: ServerFlags): Promise<readonly Check[]> {
  if (!existsSync(dataFolder(terminal, flags))) return []
  try {
    const client = await connectServerIfRunning(terminal, flags)
    if (client === null) return []
    const [{ compatListeners }, { agents }] = await Promise.all([client.serverInfo(), client.listAgents()])
    return compatListeners.map(({ wire, url, agent }) => {
      const waits = approvalNotice(
        wire,
        agents.find(({ name }) => name === agent),
      )
      const open = `${url} lets every program on this machine use agent "${agent}" without a token`
      return {
        name: `Compatibility listener ${wire}`,
        verdict: 'warn',
        finding: waits === null ? open : `${open}; ${waits}`,
        mend: 'If this is not intended, start the server without --compat.',
      }
    })
  } catch {
    return [] // the checks of the data folder and the port report what is wrong with the server
  }
}
