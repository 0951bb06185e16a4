import { Button } from '../components/controls/button.tsx'
import { CodeSample } from '../components/controls/code-sample.tsx'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { Brand } from './shell/brand.tsx'

export function SignInPage() {
  usePageTitle('Sign in')
  return (
    <main className="narrow-page" id="content">
      <div className="sign-in">
        <Brand />
        <h1>Sign in</h1>
        <p className="text-2">
          Sign in to use this server. The server prints a one-time sign-in link: see the terminal where it runs, or
          restart it to get a new link.
        </p>
        <CodeSample label="the start command" code="npm start" />
        <p className="text-2">
          Programs use the access token instead. It is in the server’s data folder and readable only by its owner:
        </p>
        <CodeSample label="the token command" code="cat .quarterdeck/token" />
        <div className="actions">
          <Button variant={['primary']} onClick={() => location.reload()}>
            I have opened the link, try again
          </Button>
        </div>
      </div>
    </main>
  )
}
