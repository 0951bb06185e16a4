import { formatRule, type PermissionRule, visibleText } from '@quarterdeck/protocol'
import { Button } from '../../../components/controls/button.tsx'

interface RulesListProps {
  readonly rules: readonly PermissionRule[]
  readonly canRevoke: boolean
  readonly onRevoke: (rule: PermissionRule) => void
}

/** What “allow for this session” added, each to be taken back. */
export function RulesList({ rules, canRevoke, onRevoke }: RulesListProps) {
  return rules.map((rule) => {
    const ruleText = visibleText(formatRule(rule))
    return (
      <div className="row rule" key={ruleText}>
        <code className="grow">{ruleText}</code>
        {canRevoke && (
          <Button variant={['s', 'quiet']} aria-label={`Revoke ${ruleText}`} onClick={() => onRevoke(rule)}>
            Revoke
          </Button>
        )}
      </div>
    )
  })
}
