// Files that hold keys. What an agent starts is given the variables its file names, and no others.
import { dirname, join } from 'node:path'

const envFile = '.env'

/** Those of whoever starts the house: a project's own `config.yaml` is a file like its others. */
export const serverSecretFiles = ({ homeDir, cwd }: { readonly homeDir: string; readonly cwd: string }) => [
  join(homeDir, '.quarterdeck', 'config.yaml'),
  join(cwd, envFile),
]

/** The secret files that no process of an agent can read. */
export const secretFilesOf = (agentFile: string, ofServer: readonly string[] = []): readonly string[] => [
  ...ofServer,
  join(dirname(agentFile), envFile),
]
