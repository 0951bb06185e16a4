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
          This server answers only to people it knows. It prints a link that signs this browser in once: look at the
          terminal where it runs, or start it again to get a new one.
        </p>
        <CodeSample label="the start command" code="npm start" />
        <p className="text-2">
          Programs use the access token instead. It lies in the server’s data folder, readable only by its owner:
        </p>
        <CodeSample label="the token command" code="cat .quarterdeck/token" />
        <div className="actions">
          <Button variant={['ink']} onClick={() => location.reload()}>
            I have opened the link, try again
          </Button>
        </div>
      </div>
    </main>
  )
}
