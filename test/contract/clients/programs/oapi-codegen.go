package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/google/uuid"

	"gatehouse.example/app/gatehouse"
)

func bearer(credential string) gatehouse.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+credential)
		return nil
	}
}

func basic(_ context.Context, request *http.Request) error {
	request.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))
	return nil
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	client := must(gatehouse.NewClientWithResponses(os.Getenv("GATEHOUSE")))

	entitlement := must(client.CheckEntitlementWithResponse(
		ctx,
		&gatehouse.CheckEntitlementParams{UserId: uuid.MustParse(os.Getenv("USER_ID"))},
		bearer(os.Getenv("GATEHOUSE_KEY")),
	))
	exchanged := must(client.ExchangeCodeWithFormdataBodyWithResponse(ctx, gatehouse.TokenRequest{
		GrantType:   gatehouse.AuthorizationCode,
		Code:        os.Getenv("CODE"),
		RedirectUri: os.Getenv("REDIRECT_URI"),
	}, basic))
	if exchanged.JSON200 == nil {
		log.Fatalf("the exchange was refused: %s", exchanged.Body)
	}
	token := exchanged.JSON200.AccessToken
	profile := must(client.GetProfileWithResponse(ctx, bearer(token)))
	report := gatehouse.UsageReport{Kind: gatehouse.Activity}
	usage := must(client.ReportUsageWithResponse(ctx, report, bearer(token)))
	if entitlement.JSON200 == nil || profile.JSON200 == nil || usage.JSON200 == nil {
		log.Fatalf("refused: %s, %s, %s", entitlement.Body, profile.Body, usage.Body)
	}
	must(client.RevokeTokenWithFormdataBodyWithResponse(ctx, gatehouse.RevokeRequest{Token: token}, basic))
	after := must(client.GetProfileWithResponse(ctx, bearer(token)))

	must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"active":                  entitlement.JSON200.Active,
		"profile":                 profile.JSON200.Id,
		"counted":                 usage.JSON200.Counted,
		"qualifying":              usage.JSON200.Qualifying,
		"status_after_revocation": after.StatusCode(),
	}))
}
