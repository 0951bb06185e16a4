// Files that contain keys. Processes of agents get the variables that the agent file names, and no others.
import { dirname, join } from 'node:path'

const envFile = '.env'

/** Files of the user who starts the server; the `config.yaml` of a project is an ordinary file. */
export const serverSecretFiles = ({ homeDir, cwd }: { readonly homeDir: string; readonly cwd: string }) => [
  join(homeDir, '.quarterdeck', 'config.yaml'),
  join(cwd, envFile),
]

/** The secret files that no process of an agent can read. */
export const secretFilesOf = (agentFile: string, ofServer: readonly string[] = []): readonly string[] => [
  ...ofServer,
  join(dirname(agentFile), envFile),
]
