// Asks Tessera what a user may do, over gRPC. The package rbacv1 is made by protoc:
//
//	protoc -I "$PROTO_DIR" --go_out=. --go-grpc_out=. \
//	  --go_opt=Mrbac/v1/authorization.proto=tessera.example/rbacv1 \
//	  --go-grpc_opt=Mrbac/v1/authorization.proto=tessera.example/rbacv1 rbac/v1/authorization.proto
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"tessera.example/rbacv1"
)

// token is the call credentials: an access token lives for 15 minutes, and a new one is fetched a
// minute before its end.
type token struct {
	mutex  sync.Mutex
	value  string
	endsAt time.Time
	isTLS  bool
}

func (t *token) RequireTransportSecurity() bool { return t.isTLS }

func (t *token) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if time.Now().After(t.endsAt.Add(-time.Minute)) {
		if err := t.fetch(ctx); err != nil {
			return nil, err
		}
	}
	return map[string]string{"authorization": "Bearer " + t.value}, nil
}

func (t *token) fetch(ctx context.Context) error {
	parts := strings.SplitN(os.Getenv("TESSERA_SCOPE"), ":", 2)
	body, err := json.Marshal(map[string]interface{}{
		"clientId":     os.Getenv("TESSERA_CLIENT_ID"),
		"clientSecret": os.Getenv("TESSERA_CLIENT_SECRET"),
		"scope":        map[string]string{"tenant": parts[0], "id": parts[1]},
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", os.Getenv("TESSERA_URL")+"/api/auth/token", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("no access token: %s", response.Status)
	}
	var answer struct {
		Data struct {
			AccessToken string
			ExpiresIn   int
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	t.value = answer.Data.AccessToken
	t.endsAt = time.Now().Add(time.Duration(answer.Data.ExpiresIn) * time.Second)
	return nil
}

func connect() (*grpc.ClientConn, error) {
	ca := os.Getenv("TESSERA_CA")
	calls := grpc.WithPerRPCCredentials(&token{isTLS: ca != ""})
	if ca == "" {
		return grpc.Dial(os.Getenv("TESSERA_GRPC"), grpc.WithInsecure(), calls)
	}
	channel, err := credentials.NewClientTLSFromFile(ca, "")
	if err != nil {
		return nil, err
	}
	return grpc.Dial(os.Getenv("TESSERA_GRPC"), grpc.WithTransportCredentials(channel), calls)
}

func main() {
	connection, err := connect()
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	authorization := rbacv1.NewAuthorizationClient(connection)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()

	// 1. What may this user do? The user's own access token says who it is, and Tessera verifies it.
	userToken := os.Getenv("USER_TOKEN")
	one, err := authorization.IsAuthorized(ctx, &rbacv1.Check{UserToken: &userToken, Resource: "Role", Action: "Query"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("user token:", one.Authorized, one.Reason)

	// 2. Up to 1,000 questions at once, here about a user by id. It takes Decision:Evaluate.
	subject := &rbacv1.Subject{Type: "user", UserId: os.Getenv("USER_ID")}
	many, err := authorization.IsAuthorizedMany(ctx, &rbacv1.CheckMany{Checks: []*rbacv1.Check{
		{Subject: subject, Resource: "Role", Action: "Query"},
		{Subject: subject, Resource: "Role", Action: "Create"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("by name:", many.Decisions[0].Authorized, many.Decisions[1].Authorized)

	// 3. A refusal of the call itself is an error with a status, never a decision.
	elsewhere := &rbacv1.Scope{Tenant: "organization", Id: os.Getenv("USER_ID")}
	own := &rbacv1.Subject{Type: "self"}
	_, err = authorization.IsAuthorized(ctx, &rbacv1.Check{Subject: own, Scope: elsewhere, Resource: "Role", Action: "Query"})
	fmt.Println("elsewhere:", status.Code(err))
}
