/** Those of `--origin` and of `CORS_ORIGINS`, which lists them with commas between. */
export const listedOrigins = (
  flags: readonly string[] | undefined,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] => [
  ...(flags ?? []),
  ...(env.CORS_ORIGINS ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== ''),
]
