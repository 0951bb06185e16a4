import { questionRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountQuestionRoutes(mount: Mount): void {
  mountRoute(mount, questionRoutes.list, ({ sessions, query }) => sessions.questions(query.session))
  mountRoute(mount, questionRoutes.answer, ({ sessions, params, body, by }) =>
    sessions.answer(params.questionId, body, by),
  )
}
