// Where a value that is a secret may stand: it is handed on from there and appears in no definition.
import { formatPath, type Path } from '../problems/value-path.ts'

/** What a tool, a hook or a collector is given; the file is right without it. */
const given = [
  /^(?:tools|mcp_servers)\[\d+\]\.(?:env|headers|config)(?:[.[]|$)/,
  /^hooks\[\d+\]\.env(?:[.[]|$)/,
  /^observability\.exporters\.otlp\.headers(?:[.[]|$)/,
]
const keys = [/(?:^|\.)(?:model|embedding_provider|providers\.[^.]+)\.api_key$/, /^tools\[\d+\]\.database(?:\.|$)/]

export const isGiven = (path: Path): boolean => given.some((pattern) => pattern.test(formatPath(path)))

export const mayHoldSecret = (path: Path): boolean =>
  isGiven(path) || keys.some((pattern) => pattern.test(formatPath(path)))

export const exposedSecret = (variable: string): string =>
  `${variable} would become readable here: a secret may only stand in an api_key, or in env and headers of a tool`
