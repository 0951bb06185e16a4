// Replaces values that differ between two runs of the same screen.

const unstable: readonly (readonly [RegExp, string])[] = [
  // The output of a test run depends on the version of Node.
  [/(region "Output": ).*/, '$1OUTPUT'],
  [/(✘ Exit code 1\n)(?:.*\n)*?(?=.*1 of 3 tests fails)/, '$1'],
  [/(?<=Show all )\d+/, 'N'],
  [/\b(ses|ctc)_\w+…?/g, '$1_ID'],
  [/(?:\/[\w.-]+)+(?=\/(?:examples|data)\/)/g, '/FOLDER'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
  // Numbers of events.
  [/(?<=link "Event |url: "#e|^ *- text: ")\d+(?=")/gm, 'N'],
  [/(?<![T:\d])\d+:\d\d(?::\d\d)?\b/g, 'TIME'],
  // With its unit, which depends on the speed of the machine.
  [/\b\d[\d.]* (?:m?s|min(?: \d+ s)?)(?!\w)/g, 'DURATION'],
  [/(duration_ms|elapsedMs)(\W+)[\d.]+/g, '$1$2N'],
  // Money and tokens depend on the length of the folder's path.
  [/\$\d[\d.]*/g, '$N'],
  [/(?:[\d.]+ (?:k )?){3}\$N/g, 'N N N $N'],
  [/(?<=- cell ")[\d.]+(?: k)?(?=")/g, 'N'],
  [/(?<=saved \$N \()\d+/g, 'N'],
  [/\b[\d,.]+(?= (?:units|out|from cache|to cache)\b| in,)/g, 'N'],
  [/\b[\d.]+(?= kB\b)/g, 'N'],
  [/(?<=N kB of )[\d.]+ [GT]B/g, 'N GB'],
]

export const maskSnapshot = (snapshot: string): string =>
  `${unstable.reduce((text, [pattern, mask]) => text.replace(pattern, mask), snapshot).trimEnd()}\n`
