import { existsSync } from 'node:fs'
import { connectServerIfRunning, type ServerFlags } from '../connect-server.ts'
import { dataFolder } from '../house-options.ts'
import type { Terminal } from '../terminal.ts'
import { whatWaits } from '../what-waits.ts'
import type { Check } from './check-machine.ts'

/** The doors of the server that runs on this data folder: what is open without a token. */
export async function checkDoors(terminal: Terminal, flags: ServerFlags): Promise<readonly Check[]> {
  if (!existsSync(dataFolder(terminal, flags))) return []
  try {
    const client = await connectServerIfRunning(terminal, flags)
    if (client === null) return []
    const [{ doors }, { agents }] = await Promise.all([client.serverInfo(), client.listAgents()])
    return doors.map(({ wire, url, agent }) => {
      const waits = whatWaits(
        wire,
        agents.find(({ name }) => name === agent),
      )
      const open = `${url} lets every program on this machine talk to agent "${agent}" without a token`
      return {
        ...{ name: `Door ${wire}`, verdict: 'warn', finding: waits === null ? open : `${open}; ${waits}` },
        mend: 'Start the server without --door where that is not meant.',
      }
    })
  } catch {
    return [] // the checks of the data folder and the port say what is wrong with the server
  }
}
