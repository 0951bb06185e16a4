import { expect, it } from 'vitest'
import { maskSnapshot } from './mask-snapshot.ts'

it.each([
  ['- text: Done 2 steps 4.2 s $0.02 8,736 units', '- text: Done 2 steps DURATION $N N units'],
  ['- button "Read 640 ms"', '- button "Read DURATION"'],
  ['- button "Read 1.2 s"', '- button "Read DURATION"'],
  ['- button "Read 2 min"', '- button "Read DURATION"'],
  ['- button "Read 1 min 12 s"', '- button "Read DURATION"'],
  ['- cell "8.9 k"', '- cell "N"'],
  ['- code: /tmp/shop/data/workspaces/ses_858ba1ec', '- code: /FOLDER/data/workspaces/ses_ID'],
  ['- row "Haiku 4.5 12 8.9 k 306 $0.0064":', '- row "Haiku 4.5 N N N $N":'],
  [
    '- button "13:21:29 Result of step 1 4 summary rows 0.4 kB"',
    '- button "TIME Result of step 1 4 summary rows N kB"',
  ],
  ['- link "Event 44":\n  - /url: "#e44"\n  - text: "44"', '- link "Event N":\n  - /url: "#eN"\n  - text: "N"'],
])('masks values that differ between two runs: %s', (snapshot, masked) => {
  expect(maskSnapshot(snapshot)).toBe(`${masked}\n`)
})

it.each([
  '- heading "First rows" [level=3]',
  '- img "from 2026-05-03T00:36:00 to 2026-10-04T22:09:00"',
  '- status: This cell proves 109 in the answer.',
  '- cell "Sonnet 4.5"',
  '- gridcell "109"',
  '- gridcell "17.05.2026"',
  '- button "Show what explorer did": "4 calls"',
])('leaves the words and the stable numbers of a screen: %s', (snapshot) => {
  expect(maskSnapshot(snapshot)).toBe(`${snapshot}\n`)
})
