import type { SessionService } from '@quarterdeck/engine'
import { questionRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountQuestionRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, questionRoutes.list, ({ query }) => sessions.questions(query.session))
  mountRoute(mount, questionRoutes.answer, ({ params, body, by }) => sessions.answer(params.questionId, body, by))
}
