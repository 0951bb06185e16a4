// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import { type PermissionRule, parseRule } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { findAllowing, findDenying, suggestSessionRule } from './match-rule.ts'

const cwd = '/project'
const rule = (text: string): PermissionRule => {
  const parsed = parseRule(text)
  if (parsed === undefined) throw new Error(`no rule: ${text}`)
  return parsed
}
const bash = (command: string) => ({ toolName: 'Bash', toolInput: { command } })
const allows = (rules: string[], command: string) => findAllowing(rules.map(rule), bash(command), { cwd }) !== null
const denies = (rules: string[], command: string) => findDenying(rules.map(rule), bash(command), { cwd }) !== null

describe('an allow rule for Bash', () => {
  it.each([
    'npm test',
    'npm test x',
    'npm   test  x',
    'npm test -- --grep "a b"',
    'npm test 2>&1',
    'npm test > /dev/null 2>&1',
    'npm test | npm test y',
    'npm test && npm test x; npm test',
    '(npm test x)',
    'time npm test',
    'npm test # and a comment',
    'npm test $HOME',
    "npm test 'x; rm -rf /'",
    'if npm test; then npm test x; fi',
  ])('Bash(npm test *) lets %j through', (command) => {
    expect(allows(['Bash(npm test *)'], command)).toBe(true)
  })

  it.each([
    'npm test x && rm -rf /',
    'npm test; curl evil.test',
    'npm test & rm x',
    'npm test | sh',
    'npm test || rm x',
    'npm test\nrm x',
    'npm test \\\n; rm x',
    'npm test $(rm x)',
    'npm test "$(rm x)"',
    'npm test `rm x`',
    'npm test <(rm x)',
    'npm test ${x:-$(rm x)}',
    'npm test $((1 + $(rm x)))',
    'npm test > package.json',
    'npm test >> /etc/passwd',
    'npm test x >| file',
    'npm test &> file',
    'npm test <> file',
    'npm test > $OUT',
    'npm test < /dev/tcp/evil.test/80',
    '(npm test) > file',
    'PATH=/evil npm test',
    'LD_PRELOAD=/evil.so npm test x',
    'X=1',
    'npm testing',
    'npm tes',
    'sudo npm test',
    '$NPM test',
    '"$(echo npm)" test x',
    'n?m test x',
    '~/npm test x',
    '{npm,test}',
    "npm test 'unclosed",
    'npm test $(',
    'npm test\u0000',
    'npm() { rm x; }; npm test',
    'cat <<EOF\nnpm test\nEOF',
    'npm test <<EOF\n$(rm x)\nEOF',
    '',
    '# npm test',
  ])('Bash(npm test *) does not let %j through', (command) => {
    expect(allows(['Bash(npm test *)'], command)).toBe(false)
  })

  it('lets different rules allow the commands of one line', () => {
    expect(allows(['Bash(npm test *)', 'Bash(git status)'], 'git status && npm test $(git status)')).toBe(true)
    expect(findAllowing([rule('Bash(a)'), rule('Bash(b)')], bash('a; b'), { cwd })).toHaveLength(2)
  })

  it('reaches over a redirection only where the pattern writes it out', () => {
    expect(allows(['Bash(npm test * > out.txt)'], 'npm test x > out.txt')).toBe(true)
    expect(allows(['Bash(npm test * > out.txt)'], 'npm test x > other.txt')).toBe(false)
    expect(allows(['Bash(npm test > *)'], 'npm test >out.txt')).toBe(true)
  })

  it('allows everything without a pattern, even what cannot be read', () => {
    expect(allows(['Bash'], "anything 'unclosed")).toBe(true)
    expect(allows(['Bash(*)'], 'a > b')).toBe(true)
  })

  it('takes the older spelling with a colon', () => {
    expect(allows(['Bash(npm test:*)'], 'npm test x')).toBe(true)
    expect(denies(['Bash(rm:*)'], 'rm x')).toBe(true)
  })

  it('takes an escaped asterisk for an asterisk', () => {
    expect(allows(['Bash(ls \\*)'], 'ls *')).toBe(true)
    expect(allows(['Bash(ls \\*)'], 'ls x')).toBe(false)
  })
})

const evasions = [
  'rm x',
  ' rm x',
  'true; rm x',
  'true && rm x',
  'false || rm x',
  'true | rm x',
  'sleep 1 & rm x',
  'true\nrm x',
  '(rm x)',
  '{ rm x; }',
  '! rm x',
  'time rm x',
  'echo $(rm x)',
  'echo "$(rm x)"',
  'echo `rm x`',
  'echo ${y:-$(rm x)}',
  'echo ${y:-`rm x`}',
  'echo $((1+$(rm x)))',
  'cat <(rm x)',
  'cat <<EOF\n$(rm x)\nEOF',
  'cat <<EOF\nEO\\\nF\nrm x\nEOF',
  'cat > $(rm x)',
  'Y=$(rm x)',
  'Y=1 rm x',
  'a=($(rm x))',
  'if true; then rm x; fi',
  'for i in 1; do rm x; done',
  'for i in $(rm x); do :; done',
  'while rm x; do break; done',
  'case a in a) rm x;; esac',
  '[[ -n $(rm x) ]]',
  'f() { rm x; }; f',
  'r\\m x',
  'r\\\nm x',
  "'rm' x",
  '"rm" x',
  'r""m x',
  "r''m x",
  "$'rm' x",
  "$'\\x72\\x6d' x",
  "$'\\162m' x",
  "$'\\u0072m' x",
  '$"rm" x',
  '/bin/rm x',
  '/usr/bin/../bin/rm x',
  './rm x',
  'RM x',
  '$RM x',
  '${RM} x',
  'Y=rm; $Y x',
  '$(echo rm) x',
  '`echo rm` x',
  'r${EMPTY}m x',
  'r? x',
  '/bin/r* x',
  '/bin/[r]m x',
  '{rm,x}',
  '~/rm x',
  '=rm x',
  'eval rm x',
  "eval 'rm x'",
  'eval "$Y"',
  "bash -c 'rm x'",
  'sh -c "rm x"',
  "bash -lc 'rm x'",
  "bash -o pipefail -c 'rm x'",
  "bash --norc -ec 'true; rm x'",
  'bash -c "$Y"',
  'bash -c \'bash -c "rm x"\'',
  "/bin/sh -c 'rm x'",
  'echo rm x | bash',
  'echo rm x | sh -s',
  'bash <<< "rm x"',
  "bash <<'E'\nrm x\nE",
  'bash <(echo rm x)',
  'bash < script',
  'env rm x',
  'env -i Y=1 rm x',
  'env -u HOME rm x',
  "env -S 'rm x'",
  'env --unknown rm x',
  'sudo rm x',
  'sudo -u root rm x',
  'sudo -E -- rm x',
  'doas rm x',
  "su -c 'rm x'",
  "su root -c 'rm x'",
  'nohup rm x',
  'nice rm x',
  'nice -n 5 rm x',
  'ionice -c 3 rm x',
  'timeout 5 rm x',
  'timeout -k 1 -s KILL 5 rm x',
  'stdbuf -oL rm x',
  'setsid -w rm x',
  'xargs rm',
  'echo x | xargs rm',
  'echo x | xargs -n 1 -I{} rm {}',
  'echo rm | xargs -I{} {} x',
  "echo x | xargs sh -c 'rm x'",
  'find . -exec rm {} \\;',
  'find . -execdir rm {} +',
  "find . -exec sh -c 'rm x' \\;",
  'exec rm x',
  'exec -a ls rm x',
  'command rm x',
  'command -p rm x',
  'builtin command rm x',
  'busybox rm x',
  'chroot / rm x',
  'unshare -m rm x',
  'strace -f rm x',
  'flock lock rm x',
  "flock lock -c 'rm x'",
  "script -qc 'rm x' /dev/null",
  "watch 'rm x'",
  'parallel rm ::: x',
  "trap 'rm x' EXIT",
  "alias ll='rm x'",
  'coproc rm x',
  'env timeout 5 nice sudo rm x',
  "ssh host 'rm x'",
  'bash /bin/rm x',
  '. /bin/rm x',
  'source rm x',
  'rm() { command rm x; }',
  'echo \\\n`rm x`',
  '\\rm x',
  'echo "`rm x`"',
  'echo $[$(rm x)]',
  "echo 'unclosed; rm x",
  "trap -- 'rm x' EXIT",
  'hash -p /bin/rm foo; foo x',
  'BASH_ALIASES[foo]=rm; foo x',
  'BASH_ALIASES+=([foo]=rm); foo x',
  'BASH_CMDS[foo]=/bin/rm; foo x',
  'alias foo=rm; shopt -s expand_aliases\nfoo x',
  "echo a | mapfile -C 'rm x;' -c 1 y",
  "readarray -C 'rm x;' -c 1 y",
  "compgen -C 'rm x'",
  "complete -C 'rm x' foo",
  "let 'a[$(rm x)]'",
  "PS4='$(rm x)' bash -xc :",
  "export PS4='$(rm x)'; bash -xc :",
  "env PS4='$(rm x)' bash -xc :",
  'BASH_ENV=script bash -c :',
  "PROMPT_COMMAND='rm x' bash -i",
  "GIT_PAGER='rm x' git log",
  "env EDITOR='rm x' git commit",
  ". /dev/stdin <<<'rm x'",
  "source /dev/stdin <<'E'\nrm x\nE",
  "echo 'rm x' | . /dev/stdin",
  "echo 'rm x' | source /dev/fd/0",
  "bash /dev/fd/0 <<'E'\nrm x\nE",
  "bash -s x <<'E'\nrm x\nE",
  "echo 'rm x' | bash -s x",
  "echo 'rm x' | tee >(sh)",
  "{ sh; } <<< 'rm x'",
  "echo 'rm x' | echo $(sh)",
  "f() { sh; }; echo 'rm x' | f",
  "exec <<< 'rm x'; sh",
  'echo rm x | xargs -I% sh -c %',
  "echo 'rm x' | xargs -0I% bash -c '%'",
  "find . -exec sh -c '{}' \\;",
  'bash --rcfile <(echo rm x) -i',
  'bash --init-file <(echo rm x) -i',
  'bash --rcfile /dev/stdin -i <<< "rm x"',
  'setarch x86_64 rm x',
  'setarch -R rm x',
  'linux32 rm x',
  'linux64 rm x',
  'i386 rm x',
  'x86_64 rm x',
  'prlimit --nofile=9 rm x',
  'setpriv --nnp rm x',
  'choom -n 5 -- rm x',
  "capsh -- -c 'rm x'",
  'chpst -u a rm x',
  '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
  '/lib/ld-musl-x86_64.so.1 /bin/rm x',
  'systemd-run --user rm x',
  "tmux new-session -d 'rm x'",
  'screen -dm rm x',
  'npm exec -- rm x',
  "npm exec -c 'rm x'",
  'npx rm x',
  "npx -c 'rm x'",
  "npx --call='rm x'",
  'yarn exec rm x',
  'pnpm exec rm x',
  'pnpm dlx rm x',
  "git submodule foreach 'rm x'",
  'git submodule foreach --recursive rm x',
  'git bisect run rm x',
  "git -c alias.x='!rm x' x",
  "git -c core.pager='rm x' log",
  "git -c core.sshCommand='rm x' fetch",
  "git -c core.fsmonitor='rm x' status",
  'git --config-env=alias.x=Y x',
  "git config alias.x '!rm x'",
  "git rebase --exec 'rm x' main",
  "parallel ::: 'rm x'",
  "parallel {} ::: 'rm x'",
  'jobs -x rm x',
  "echo 'rm x' | at now",
  "tar -cf a.tar --checkpoint-action=exec='rm x' b",
  "tar -I 'rm x' -cf a.tar b",
  "eval -- 'rm x'",
  "env -S 'Y=1 rm x'",
]

describe('a deny rule for Bash', () => {
  it.each(evasions)('Bash(rm *) stops %j', (command) => {
    expect(denies(['Bash(rm *)'], command)).toBe(true)
  })

  it.each([
    'ls',
    "echo 'rm x'",
    'echo "$HOME"',
    'grep -r rm src',
    'git rm-something',
    'rmdir x',
    'format x',
    'npm run rm',
    'timeout 5 grep rm x',
    'find . -name rm',
    'xargs grep rm',
    "cat <<'E'\nrm x\nE",
    'for f in *.ts; do wc -l "$f"; done',
    'command -v rm',
    'echo $((1 + 2))',
    'bash --version',
    'GIT_PAGER=cat git log',
    'git -c core.pager=cat log',
    'git -c user.name=rm commit',
    'git config user.email a@b.test',
    'git config --get alias.x',
    'npx prettier --check src',
    'npm run build',
    'tar -xf a.tar',
    "trap 'echo x' EXIT",
    'while IFS= read -r line; do echo "$line"; done < x',
    "bash -s <<'E'\necho x\nE",
  ])('Bash(rm *) leaves %j alone', (command) => {
    expect(denies(['Bash(rm *)'], command)).toBe(false)
  })

  it('looks at arguments too, and takes an unknown one for the worst', () => {
    expect(denies(['Bash(git push *)'], 'git push --force')).toBe(true)
    expect(denies(['Bash(git push *)'], 'git  "push"')).toBe(true)
    expect(denies(['Bash(git push *)'], 'git $VERB origin')).toBe(true)
    expect(denies(['Bash(git push *)'], 'git pull')).toBe(false)
    expect(denies(['Bash(* --force *)'], 'git push --force origin')).toBe(true)
  })

  it.each([
    'git -C . push',
    'git -C sub push origin main',
    'git -c user.name=x push',
    'git -c x=y push',
    'git --git-dir=.git push',
    'git --git-dir .git --work-tree . push',
    'git --no-pager -P push',
    'env -C sub git -C . push',
  ])('Bash(git push*) stops %j: what stands before the verb does not count', (command) => {
    expect(denies(['Bash(git push*)'], command)).toBe(true)
    expect(denies(['Bash(git push *)'], command)).toBe(true)
  })

  it('leaves other verbs alone behind options of git', () => {
    expect(denies(['Bash(git push*)'], 'git -C push status')).toBe(false)
    expect(denies(['Bash(git push*)'], 'git --no-pager log')).toBe(false)
  })

  it('stops the tool as a whole without a pattern', () => {
    expect(denies(['Bash'], 'ls')).toBe(true)
    expect(denies(['*'], 'ls')).toBe(true)
    expect(denies(['Read'], 'ls')).toBe(false)
  })

  it('stops a call without a command', () => {
    expect(findDenying([rule('Bash(rm *)')], { toolName: 'Bash', toolInput: {} }, { cwd })).not.toBeNull()
  })
})

describe('rules for files', () => {
  const write = (file_path: string) => ({ toolName: 'Write', toolInput: { file_path, content: '' } })
  const allowed = (text: string, call: { toolName: string; toolInput: Record<string, unknown> }, realPath?: string) =>
    findAllowing([rule(text)], call, realPath === undefined ? { cwd } : { cwd, realPath }) !== null

  it('match relative and absolute spellings of the same file', () => {
    for (const path of ['src/a.ts', './src/a.ts', '/project/src/a.ts', 'src/../src/a.ts']) {
      for (const text of ['Write(src/*)', 'Write(./src/a.ts)', 'Write(/project/src/*)']) {
        expect(allowed(text, write(path)), `${text} ${path}`).toBe(true)
      }
    }
  })

  it('do not follow a path that climbs out', () => {
    expect(allowed('Write(src/*)', write('src/../../etc/passwd'))).toBe(false)
    expect(allowed('Write(./*)', write('/etc/passwd'))).toBe(false)
  })

  it('allow a link only when both its name and its target are allowed, and deny it for either', () => {
    expect(allowed('Write(out/*)', write('out/link'), '/project/src/a.ts')).toBe(false)
    expect(allowed('Write(out/*)', write('out/link'), '/project/out/a.ts')).toBe(true)
    const denying = findDenying([rule('Write(src/*)')], write('out/link'), { cwd, realPath: '/project/src/a.ts' })
    expect(denying).not.toBeNull()
  })

  it('judge a search by where it looks, never by what it looks for', () => {
    const grep = (input: Record<string, unknown>) => ({ toolName: 'Grep', toolInput: input })
    expect(allowed('Grep(src/*)', grep({ pattern: 'src/x', path: '/etc' }))).toBe(false)
    expect(allowed('Grep(src/*)', grep({ pattern: 'x', path: 'src/deep' }))).toBe(true)
    expect(allowed('Grep(./*)', grep({ pattern: 'x' }))).toBe(true)
    const glob = { toolName: 'Glob', toolInput: { pattern: '/etc/*' } }
    expect(allowed('Glob(./*)', glob)).toBe(false)
    expect(findDenying([rule('Grep(*.key)')], grep({ pattern: 'x', glob: '*.key' }), { cwd })).not.toBeNull()
  })

  it('know subagents by their kind, and Task as Agent', () => {
    const agent = { toolName: 'Task', toolInput: { subagent_type: 'explorer', prompt: 'x' } }
    expect(allowed('Agent(explorer)', agent)).toBe(true)
    expect(allowed('Task(explorer)', agent)).toBe(true)
    expect(allowed('Agent(writer)', agent)).toBe(false)
  })
})

describe('suggestSessionRule', () => {
  it.each([
    'ls *',
    'npm test',
    'rm "a*b" \\* c',
    'cd x && npm test > out.txt',
    'echo (unparsable',
    'a\nb',
    'x:*',
    'x *',
    '  padded  ',
  ])('covers %j and nothing else', (command) => {
    const suggested = suggestSessionRule(bash(command), cwd)
    expect(findAllowing([suggested], bash(command), { cwd })).not.toBeNull()
    for (const other of [`${command} y`, `${command}; rm -rf /`, command.replaceAll('*', 'x'), `${command}\nrm x`]) {
      if (other !== command) expect(findAllowing([suggested], bash(other), { cwd }), other).toBeNull()
    }
  })

  it('survives being written down and read again', () => {
    const suggested = suggestSessionRule(bash('echo "(a) * \\\\"'), cwd)
    expect(rule(`${suggested.tool}(${suggested.pattern})`)).toEqual(suggested)
  })

  it('is precise for each tool', () => {
    const suggest = (toolName: string, toolInput: Record<string, unknown>) =>
      suggestSessionRule({ toolName, toolInput }, cwd)
    expect(suggest('Edit', { file_path: '/project/src/a.ts' })).toEqual({ tool: 'Edit', pattern: 'src/a.ts' })
    expect(suggest('Write', { file_path: 'a*.ts' })).toEqual({ tool: 'Write', pattern: 'a\\*.ts' })
    expect(suggest('Read', { file_path: 'src/a.ts' })).toEqual({ tool: 'Read', pattern: './*' })
    expect(suggest('Grep', { pattern: 'x' })).toEqual({ tool: 'Grep', pattern: './*' })
    expect(suggest('Task', { subagent_type: 'explorer' })).toEqual({ tool: 'Agent', pattern: 'explorer' })
    expect(suggest('WebFetch', { url: 'https://a.test/x?y' })).toEqual({
      tool: 'WebFetch',
      pattern: 'https://a.test/*',
    })
    expect(suggest('WebSearch', { query: 'x' })).toEqual({ tool: 'WebSearch', pattern: null })
    expect(suggest('mcp__db__query', { b: 1, a: '*' })).toEqual({
      tool: 'mcp__db__query',
      pattern: '{"a":"\\*","b":1}',
    })
  })

  it('never becomes a rule for the whole tool when the input is malformed', () => {
    for (const toolName of ['Bash', 'Write', 'Edit', 'Agent', 'WebFetch']) {
      expect(suggestSessionRule({ toolName, toolInput: {} }, cwd).pattern, toolName).not.toBeNull()
    }
  })
})
