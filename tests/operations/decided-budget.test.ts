import { expect, test } from 'vitest';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import { openApiDocument } from '../../src/http/api/openapi.ts';

test('a decision is about a limit of any scope that can be set', () => {
  const document = openApiDocument(API_ROUTES, '1') as unknown as {
    readonly components: {
      readonly schemas: Readonly<Record<string, { readonly properties: { readonly scope: object } }>>;
    };
    readonly paths: Readonly<Record<string, object>>;
  };
  expect(document.components.schemas['DecidedBudget']!.properties.scope).toMatchObject({
    enum: ['item', 'root', 'faculty', 'appliance'],
  });
  expect(JSON.stringify(document.paths['/budgets'])).toContain('"enum":["item","root","faculty","appliance"]');
});
