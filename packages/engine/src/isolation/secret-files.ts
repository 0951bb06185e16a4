// Files that hold keys. What an agent starts is given the variables its file names, and no others.
import { basename, dirname, join } from 'node:path'
import { isInside, realPath } from './hide-files.ts'

const envFile = '.env'

/** Those of whoever starts the house: a project's own `config.yaml` is a file like its others. */
export const houseSecretFiles = ({ homeDir, cwd }: { readonly homeDir: string; readonly cwd: string }) => [
  join(homeDir, '.quarterdeck', 'config.yaml'),
  join(cwd, envFile),
]

/** Those that the programs of an agent's tools and hooks do not see. */
export const secretFilesOf = (agentFile: string, ofHouse: readonly string[] = []): readonly string[] => [
  ...ofHouse,
  join(dirname(agentFile), envFile),
]

/** Where the agent itself works it may write a `.env`: there its tools are refused to read it instead. */
export function withoutOwnEnvFile(files: readonly string[], workingDirectory: string): readonly string[] {
  const folder = realPath(workingDirectory)
  return files.filter((file) => basename(file) !== envFile || !isInside(folder, realPath(file)))
}
