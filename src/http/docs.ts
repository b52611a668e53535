import type { PublicUrls, Responder } from './app.ts';
import type { Endpoint } from './router.ts';

export function docsEndpoints(_publicUrls: PublicUrls): Endpoint<Responder>[] {
  return [
    {
      method: 'GET',
      path: '/',
      value: () => ({ httpStatus: 302, headers: { location: '/docs' }, body: null }),
    },
  ];
}
