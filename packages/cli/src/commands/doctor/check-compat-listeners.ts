import { existsSync } from 'node:fs'
import { approvalNotice } from '../../connect/approval-notice.ts'
import { connectServerIfRunning, type ServerFlags } from '../../connect/connect-server.ts'
import { dataFolder } from '../../flags/runtime-options.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Check } from './check-machine.ts'

/** The doors of the server that runs on this data folder: what is open without a token. */
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
      const open = `${url} lets every program on this machine talk to agent "${agent}" without a token`
      return {
        name: `Door ${wire}`,
        verdict: 'warn',
        finding: waits === null ? open : `${open}; ${waits}`,
        mend: 'Start the server without --door where that is not meant.',
      }
    })
  } catch {
    return [] // the checks of the data folder and the port say what is wrong with the server
  }
}
