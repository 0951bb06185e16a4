const later = [
  ['Chat', 'talk to a model without an agent file. Until then: “Write your own” on an agent, or the command chat.'],
  ['Tests', 'suites of cases against your agents.'],
  ['Costs', 'spending over days and budgets. Each session shows its own; the command costs shows all.'],
  ['Audit', 'the trail that proves who did what. The command audit checks and exports it already.'],
] as const

/** What this workbench will have and does not have: said once, instead of links that lead nowhere. */
export function NotYet() {
  return (
    <section aria-labelledby="not-yet">
      <h2 id="not-yet">Not here yet</h2>
      <ul className="later">
        {later.map(([name, description]) => (
          <li key={name}>
            <b>{name}</b>: {description}
          </li>
        ))}
      </ul>
    </section>
  )
}
